/** Questions in the terminal. */
import { createInterface } from 'node:readline/promises'

/** @param flag answers instead where there is no terminal */
export async function ask(question: string, flag: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new Error(`Nothing was changed. Add ${flag} to go on without a terminal.`)
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim())
  } finally {
    terminal.close()
  }
}
