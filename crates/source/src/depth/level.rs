//! What counts towards the bound, bracket by bracket.

/// One open bracket; the text itself is the outermost.
#[derive(Debug, Clone, Copy)]
pub(super) struct Level {
    /// The opening byte; `$` for the `${` of a template, 0 for the text itself.
    pub(super) opener: u8,
    pub(super) start: u32,
    /// Opened by `if (`, `while (`, `for (`, `with (`: a regular expression may follow its end.
    pub(super) control: bool,
    /// Statements that nest without brackets.
    nest: u32,
    /// Operators, calls, member accesses of the present expression.
    chain: u32,
    /// `<` without their `>`: a comma inside type arguments ends nothing.
    angles: u32,
}

/// The open brackets and the sum of what they count.
#[derive(Debug)]
pub(super) struct Levels {
    outer: Vec<Level>,
    top: Level,
    total: u32,
}

impl Level {
    pub(super) fn new(opener: u8, start: u32, control: bool) -> Self {
        Self {
            opener,
            start,
            control,
            nest: 0,
            chain: 0,
            angles: 0,
        }
    }

    fn counted(self) -> u32 {
        1 + self.nest + self.chain
    }
}

impl Levels {
    pub(super) fn new() -> Self {
        Self {
            outer: Vec::with_capacity(32),
            top: Level::new(0, 0, false),
            total: 1,
        }
    }

    pub(super) fn total(&self) -> u32 {
        self.total
    }

    pub(super) fn top(&self) -> Level {
        self.top
    }

    pub(super) fn push(&mut self, level: Level) {
        self.total += level.counted();
        self.outer.push(std::mem::replace(&mut self.top, level));
    }

    /// Closes the innermost bracket if it fits; a bracket that does not fit ends the parse, so it takes nothing back.
    pub(super) fn pop(&mut self, closer: u8) -> Option<Level> {
        let fits = matches!(
            (self.top.opener, closer),
            (b'(', b')') | (b'[', b']') | (b'{' | b'$', b'}')
        );
        if !fits {
            return None;
        }
        let parent = self.outer.pop()?;
        self.total -= self.top.counted();
        Some(std::mem::replace(&mut self.top, parent))
    }

    pub(super) fn nest(&mut self) {
        self.top.nest += 1;
        self.total += 1;
    }

    pub(super) fn chain(&mut self, count: u32) {
        self.top.chain += count;
        self.total += count;
    }

    pub(super) fn open_angle(&mut self) {
        self.top.angles += 1;
        self.chain(1);
    }

    pub(super) fn close_angle(&mut self) {
        self.top.angles = self.top.angles.saturating_sub(1);
        self.chain(1);
    }

    /// The expression ended; the statements around it may go on.
    pub(super) fn end_expression(&mut self) {
        self.total -= self.top.chain;
        self.top.chain = 0;
        self.top.angles = 0;
    }

    /// A comma: the next item starts anew, unless it stands between type arguments.
    pub(super) fn end_item(&mut self) {
        if self.top.angles == 0 {
            self.end_expression();
        }
    }

    /// Every statement at this level ended.
    pub(super) fn end_statement(&mut self) {
        self.end_expression();
        self.total -= self.top.nest;
        self.top.nest = 0;
    }
}
