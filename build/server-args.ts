/** How Node.js runs the built server. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Electron applies these itself. */
const { v8Flags }: { v8Flags: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
)

/**
 * Arguments for `node`. V8 collects garbage earlier, and compiles in fewer threads, each of which keeps memory: a server that writes
 * takes up to 40 MB less, for 2 % more CPU.
 */
export const serverArgs: readonly string[] = [
  ...v8Flags.split(' '),
  '--v8-pool-size=2',
  fileURLToPath(new URL('../dist/server/main.js', import.meta.url)),
]

/** The C library of Linux keeps freed memory for each of many arenas; threads that have ended leave up to 40 MB in each. */
export const serverEnv: NodeJS.ProcessEnv = { MALLOC_ARENA_MAX: '2', ...process.env }
