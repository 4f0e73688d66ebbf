/** Programs that the desktop finds and runs. */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { findProgram, runProgram } from '../../../../electron/tunnels/program.ts'

const folder = mkdtempSync(join(tmpdir(), 'pds-programs-'))
const file = process.platform === 'win32' ? 'tool.exe' : 'tool'
const [first, second, place] = ['first', 'second', 'place'].map((name) => join(folder, name)) as [
  string,
  string,
  string,
]

beforeAll(() => {
  for (const one of [first, second, place]) {
    mkdirSync(one)
    writeFileSync(join(one, file), '')
    chmodSync(join(one, file), 0o755)
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

const find = (...folders: string[]) =>
  findProgram('tool', [join(place, file)], { PATH: folders.join(delimiter) })

describe('a program is found', () => {
  test('in the first folder of PATH, else at its usual places', async () => {
    expect(await find(first, second)).toBe(join(first, file))
    expect(await find(join(folder, 'missing'), second)).toBe(join(second, file))
    expect(await find()).toBe(join(place, file))
    expect(await findProgram('other', [], { PATH: first })).toBeUndefined()
  })

  test('not in a relative folder, which depends on where the app was started', async () => {
    expect(await find('.', 'first')).toBe(join(place, file))
  })
})

describe('a program that runs', () => {
  const node = (code: string, options = {}) =>
    runProgram(process.execPath, ['-e', code], { timeoutMs: 60_000, ...options })

  test('is returned with its output and its end', async () => {
    expect(await node('console.log("out"); console.error("err"); process.exitCode = 3')).toEqual({
      ...{ status: 3, stdout: 'out\n', stderr: 'err\n' },
    })
  })

  test('is ended by its time limit, and by the signal', async () => {
    const forever = 'setInterval(() => {}, 1000)'
    expect(await node(forever, { timeoutMs: 1 })).toMatchObject({ status: null })
    expect(await node(forever, { signal: AbortSignal.abort() })).toMatchObject({ status: null })
  })

  test('is kept from filling the memory', async () => {
    const { status, stdout } = await node('process.stdout.write("x".repeat(3_000_000))')
    expect([status, stdout.length]).toEqual([0, 500_000])
  })

  test('that cannot be started rejects', async () => {
    await expect(runProgram(join(folder, 'missing'), [], { timeoutMs: 1000 })).rejects.toThrow('ENOENT')
  })
})
