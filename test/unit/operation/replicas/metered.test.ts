import { expect, test } from 'vitest'
import { createMeteredCheck, questions } from '../../../../server/operation/replicas/metered.ts'

/** Asks a command that prints a text. */
function ask(system: 'linux' | 'win32', output: string): Promise<boolean> {
  const question = questions[system]
  if (!question) throw new Error(`${system} has no question`)
  const command = [process.execPath, '-e', `process.stdout.write(${JSON.stringify(output)})`] as const
  return createMeteredCheck({ ...question, command })()
}

test.each([
  ['linux', 'u 1\n', true],
  ['linux', 'u 3\n', true],
  ['linux', 'u 0\n', false],
  ['linux', 'u 2\n', false],
  ['linux', 'u 4\n', false],
  ['win32', 'Fixed\r\n', true],
  ['win32', 'Variable\r\n', true],
  ['win32', 'Unrestricted\r\n', false],
  ['win32', 'Unknown\r\n', false],
  ['win32', '', false],
] as const)('the answer %s %j means metered: %s', async (system, output, isMetered) => {
  expect(await ask(system, output)).toBe(isMetered)
})

test('without the command, or on a system without one, a connection counts as not metered', async () => {
  const isMetered = createMeteredCheck({ command: ['/no/such/command'], isYes: /./ })
  expect(await isMetered()).toBe(false)
  expect(await createMeteredCheck(undefined)()).toBe(false)
})
