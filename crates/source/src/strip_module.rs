//! Declarations and module items of the type stripper.

use oxc_ast::ast::{
    Declaration, ExportDefaultDeclaration, ExportDefaultDeclarationKind, ExportNamedDeclaration,
    ImportDeclaration, ImportDeclarationSpecifier, ModuleDeclaration, Statement,
    TSNamespaceDeclaration, TSNamespaceDeclarationBody,
};
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::scope::ScopeFlags;

use crate::strip::{DefaultExport, Strip};

pub(crate) const IMPORT_MESSAGE: &str = "`import` is not available here: a program has no modules";
pub(crate) const IMPORT_HINT: &str = "Remove it. Call the given tools through `tools`; the language's own globals are there without import.";

impl<'a> Strip<'_> {
    /// Blanks a declaration of types alone, refuses one that TypeScript makes code of; false if it is plain.
    pub(crate) fn type_only(&mut self, it: &Declaration<'a>, span: Span) -> bool {
        if is_type_only(it) {
            self.blank_whole(span);
            return true;
        }
        match it {
            Declaration::TSEnumDeclaration(_) => self.refuse(
                span.start,
                "a TypeScript `enum` is not supported here",
                "Write a frozen object instead: `const Color = Object.freeze({ Red: 0, Green: 1 })`.",
            ),
            Declaration::TSNamespaceDeclaration(_)
            | Declaration::TSExternalModuleDeclaration(_)
            | Declaration::TSGlobalDeclaration(_) => self.refuse(
                span.start,
                "a TypeScript `namespace` is not supported here",
                "Write its contents directly, or a plain object with the functions in it.",
            ),
            Declaration::TSImportEqualsDeclaration(_) => {
                self.refuse(span.start, "a TypeScript `import =` is not available here: a program has no modules", IMPORT_HINT);
            }
            _ => return false,
        }
        true
    }

    pub(crate) fn module_item(&mut self, it: &ModuleDeclaration<'a>) {
        match it {
            ModuleDeclaration::ImportDeclaration(import) => self.import(import),
            ModuleDeclaration::ExportDeclaration(export) => {
                self.exports = true;
                if !self.type_only(&export.declaration, export.span) {
                    self.blank(export.span.start, export.declaration.span().start);
                    walk::walk_declaration(self, &export.declaration);
                }
            }
            ModuleDeclaration::ExportNamedDeclaration(export) => self.export_named(export),
            ModuleDeclaration::ExportFromDeclaration(export) if export.export_kind.is_type() => {
                self.blank_whole(export.span);
            }
            ModuleDeclaration::ExportAllDeclaration(export) if export.export_kind.is_type() => {
                self.blank_whole(export.span);
            }
            ModuleDeclaration::ExportFromDeclaration(_)
            | ModuleDeclaration::ExportAllDeclaration(_) => {
                let message = "`export ... from` imports, and `import` is not available here";
                self.refuse(it.span().start, message, IMPORT_HINT);
            }
            ModuleDeclaration::ExportDefaultDeclaration(export) => self.export_default(export),
            ModuleDeclaration::TSNamespaceExportDeclaration(export) => {
                self.blank_whole(export.span);
            }
            ModuleDeclaration::TSExportAssignment(export) => self.refuse(
                export.span.start,
                "a TypeScript `export =` is not supported here",
                "End the program with `return value` instead.",
            ),
        }
    }

    fn import(&mut self, it: &ImportDeclaration<'a>) {
        let types_only = it.import_kind.is_type()
            || it.specifiers.as_ref().is_some_and(|names| {
                !names.is_empty()
                    && names.iter().all(|name| {
                        matches!(name, ImportDeclarationSpecifier::ImportSpecifier(one) if one.import_kind.is_type())
                    })
            });
        if types_only {
            self.blank_whole(it.span);
        } else {
            self.refuse(it.span.start, IMPORT_MESSAGE, IMPORT_HINT);
        }
    }

    fn export_named(&mut self, it: &ExportNamedDeclaration<'a>) {
        self.exports = true;
        if it
            .specifiers
            .iter()
            .any(|one| one.exported.name() == "default")
        {
            let hint = "End the program with `return main()` or `export default main`.";
            self.refuse(
                it.span.start,
                "`export { ... as default }` is not supported here",
                hint,
            );
            return;
        }
        self.blank_whole(it.span);
    }

    fn export_default(&mut self, it: &ExportDefaultDeclaration<'a>) {
        let span = it.declaration.span();
        match &it.declaration {
            ExportDefaultDeclarationKind::TSInterfaceDeclaration(_) => {
                self.blank_whole(it.span);
                return;
            }
            ExportDefaultDeclarationKind::FunctionDeclaration(function) => {
                if function.body.is_none() {
                    self.blank_whole(it.span);
                    return;
                }
                if let Some(name) = &function.id {
                    self.blank(it.span.start, span.start);
                    self.default_export = Some(DefaultExport::Function(name.name.to_string()));
                    self.visit_function(function, ScopeFlags::Function);
                    return;
                }
            }
            ExportDefaultDeclarationKind::ClassDeclaration(class) if class.id.is_some() => {
                self.exports = true;
                self.blank(it.span.start, span.start);
                self.visit_class(class);
                return;
            }
            _ => {}
        }
        let start = self.at(span.start);
        self.blank(it.span.start, span.start);
        self.put(it.span.start, b';');
        self.patch.insert(start, "(");
        self.default_export = Some(DefaultExport::Expression(start));
        walk::walk_export_default_declaration(self, it);
        self.patch.insert(self.at(span.end), ")");
    }
}

fn is_type_only(it: &Declaration<'_>) -> bool {
    match it {
        Declaration::TSTypeAliasDeclaration(_) | Declaration::TSInterfaceDeclaration(_) => true,
        Declaration::VariableDeclaration(it) => it.declare,
        Declaration::FunctionDeclaration(it) => it.declare || it.body.is_none(),
        Declaration::ClassDeclaration(it) => it.declare,
        Declaration::TSEnumDeclaration(it) => it.declare,
        Declaration::TSExternalModuleDeclaration(it) => it.declare,
        Declaration::TSGlobalDeclaration(it) => it.declare,
        Declaration::TSNamespaceDeclaration(it) => it.declare || is_type_namespace(it),
        Declaration::TSImportEqualsDeclaration(it) => it.import_kind.is_type(),
    }
}

/// A namespace that holds types alone leaves nothing behind.
fn is_type_namespace(it: &TSNamespaceDeclaration<'_>) -> bool {
    match &it.body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => is_type_namespace(inner),
        TSNamespaceDeclarationBody::TSModuleBlock(block) => {
            block.directives.is_empty()
                && block.body.iter().all(|statement| match statement {
                    Statement::EmptyStatement(_) => true,
                    Statement::ExportDeclaration(export) => is_type_only(&export.declaration),
                    other => other.as_declaration().is_some_and(is_type_only),
                })
        }
    }
}
