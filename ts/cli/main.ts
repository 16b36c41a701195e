#!/usr/bin/env node
// The command line: reads arguments and hands over to one file per command.
import { Command, CommanderError, Option } from 'commander'
import { version } from './version.ts'
import { checkCommand } from './check.ts'
import { doctorCommand } from './doctor.ts'
import { CommandFailure, exitCodes, firstLine } from './failure.ts'
import { serveCommand } from './mcp/command.ts'
import { standardOutput } from './output.ts'
import { runCommand } from './run.ts'
import { addSources, readCount, readNeedsApproval, readPort } from './setup.ts'
import { typesCommand } from './types.ts'

function program(): Command {
  const root = new Command('codemode-native')
    .description('Code mode for agents: runs programs that call tools.')
    .version(version)
    .showHelpAfterError('(--help says what there is)')
    .exitOverride()
  const limits = (command: Command) =>
    command
      .option('--timeout <ms>', 'limit of the whole run (default: 30000)', readCount)
      .option('--max-calls <n>', 'limit of tool calls (default: 50)', readCount)

  limits(addSources(root.command('run <file>')))
    .description('run a program (`-` is standard input); its result goes to standard output')
    .option('--context <json>', 'what tools get as `context`')
    .addOption(
      new Option('--mode <mode>', 'mode of the gate').choices(['default', 'plan', 'bypass']),
    )
    .option('-y, --yes', 'approve every call that needs approval')
    .option('--json', 'the whole outcome as one line of JSON, and no progress')
    .option('-q, --quiet', 'no progress')
    .option('--trace <out.html>', 'write a page that shows the run')
    .option('--trace-json <out.json>', 'write the run as a Chrome trace')
    .action(runCommand)

  addSources(root.command('check <file>'))
    .description('look for mistakes in a program without running it')
    .option('--json', 'the report as JSON')
    .action(checkCommand)

  addSources(root.command('types'))
    .description('print the declarations of the tools, as the model sees them')
    .option('-o, --out <file>', 'write them to a file')
    .action(typesCommand)

  root
    .command('doctor')
    .description('test this installation: platform, addon, a run, isolation, optional packages')
    .option('--json', 'the report as JSON')
    .action(doctorCommand)

  limits(root.command('mcp'))
    .description('serve code mode over MCP servers, as an MCP server on standard input and output')
    .requiredOption('-c, --config <file>', 'JSON file with `mcpServers`')
    .option('--http [port]', 'serve streamable HTTP instead (default port: 3000)', readPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--sessions', 'tools exec, wait and stop instead of run_code')
    .option(
      '--approve <which>',
      'which calls the client is asked about: destructive, writes, all, none',
      readNeedsApproval,
      'destructive',
    )
    .addOption(
      new Option('--mode <mode>', 'mode of the gate').choices(['default', 'plan', 'bypass']),
    )
    .option('--name <name>', 'name of the tool', 'run_code')
    .action(serveCommand)
  return root
}

async function main(): Promise<void> {
  try {
    await program().parseAsync()
  } catch (error) {
    // Commander has told its own already.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.misuse
      return
    }
    standardOutput().note(`codemode-native: ${firstLine(error)}`)
    process.exitCode = error instanceof CommandFailure ? error.exitCode : exitCodes.failed
  }
}

await main()
