/** A fixed sample of `bytes.ts`: files of others leave the server small, fast and running. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeBombs } from './bytes/bombs.ts'
import { mutate } from './bytes/mutate.ts'
import { createRandom } from './bytes/random.ts'
import { formats } from './bytes/samples.ts'
import { startTarget, type Target } from './bytes/target.ts'

const seed = 2583
const ofEachFormat = 4
const maxBytes = 300 * 2 ** 20
/** On a busy machine. */
const timeout = 20 * 60_000

let target: Target

beforeAll(async () => {
  target = await startTarget()
  target.start()
})
afterAll(() => target.close())

/** Sends files one by one. Returns what was wrong. */
async function send(files: readonly { name: string; format: (typeof formats)[number]; content: Buffer }[]) {
  const problems: string[] = []
  for (const { name, format, content } of files) {
    const problem = await target.send(format, content)
    if (problem !== undefined) problems.push(`${format}, ${name}: ${problem}`)
  }
  return problems
}

function expectLittleMemory() {
  const { idle, peak } = target.memory() ?? { idle: 0, peak: 0 }
  expect((peak - idle) / 2 ** 20).toBeLessThan(maxBytes / 2 ** 20)
}

test('files that name more than they have are refused in little memory', { timeout }, async () => {
  expect(await send(makeBombs(target.samples))).toEqual([])
  expectLittleMemory()
})

test('mutations of files of each format are answered without an internal error, in little memory', {
  timeout,
}, async () => {
  const random = createRandom(seed)
  const files = formats.flatMap((format) =>
    Array.from({ length: ofEachFormat }, (_, i) => ({
      ...{ name: `mutation ${i}`, format },
      content: mutate(format, random.pick(target.samples[format]), random),
    })),
  )
  expect(await send(files)).toEqual([])
  expectLittleMemory()
  // Every check was answered while files were read.
  expect(target.health().length).toBeGreaterThan(5)
})
