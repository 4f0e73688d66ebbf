/** The commands of the package: `bin.js` starts this file after the check of Node.js. */
import { version } from '../../server/platform/config/version.ts'

interface Command {
  readonly purpose: string
  /** The modules read the arguments from `process.argv`, where the name of the command is removed. */
  run(args: readonly string[]): Promise<unknown>
}

const commands: Readonly<Record<string, Command>> = {
  serve: { purpose: 'runs the personal data server', run: () => import('../serve.ts') },
  dev: {
    purpose: 'runs a network for tests: servers, a directory, a stream of events',
    async run(args) {
      const { runDev } = await import('../../server/testing/dev.ts')
      process.exitCode = await runDev(args)
    },
  },
  conformance: {
    purpose: 'measures what a server must and should do, from outside',
    async run(args) {
      const { runConformance } = await import('../../server/testing/conformance/conformance.ts')
      process.exitCode = await runConformance(args)
    },
  },
  backup: {
    purpose: 'backs the data up, also while the server runs',
    run: () => import('../../server/operation/cli/backup.ts'),
  },
  restore: {
    purpose: 'replaces the data with a backup',
    run: () => import('../../server/operation/cli/restore.ts'),
  },
  move: {
    purpose: 'moves every account to another server',
    run: () => import('../../server/operation/cli/move.ts'),
  },
}

const list = Object.entries(commands).map(([name, { purpose }]) => `  ${name.padEnd(13)}${purpose}`)
const help = `A personal data server for the AT Protocol, and a network of them for tests.

Usage: desktop-pds COMMAND [options]

${list.join('\n')}

"desktop-pds COMMAND --help" shows the options of a command, "desktop-pds --version" the version.
`

const [name = 'help', ...args] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined

if (command) {
  process.argv.splice(2, 1)
  await command.run(args)
} else if (['help', '--help', '-h'].includes(name)) {
  process.stdout.write(help)
} else if (['--version', '-v'].includes(name)) {
  process.stdout.write(`${version}\n`)
} else {
  process.stderr.write(`There is no command ${name}.\n\n${list.join('\n')}\n`)
  process.exitCode = 1
}
