/** The same seed and the same calls leave the same bytes, in each process and on each machine, whatever the ports are. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { startNetwork } from '../../../server/testing/network.ts'
import { type Left, makeManyCalls } from '../../support/testing/many-calls.ts'

const root = join(import.meta.dirname, '../../..')
/** What 500 calls leave. A change of it is a change of bytes that the network sees: say why in its commit. */
const expected: Left = JSON.parse(await readFile(join(import.meta.dirname, 'same-bytes.json'), 'utf8'))
const seed = 7

test('500 calls leave the bytes that are kept in the repository', async () => {
  const network = await startNetwork({ seed })
  try {
    expect(await makeManyCalls(network.url)).toEqual(expected)
  } finally {
    await network.stop()
  }
})

test('as do the same calls with accounts that /dev creates', async () => {
  const network = await startNetwork({ seed })
  try {
    expect(await makeManyCalls(network.url, network.devUrl)).toEqual(expected)
  } finally {
    await network.stop()
  }
})

test('as do the same calls of a program that `desktop-pds dev --exec` runs', async () => {
  const calls = join(root, 'test/support/testing/many-calls.ts')
  const command = ['build/package/commands.ts', 'dev', '--seed', `${seed}`, '--port', '0', '--exec']
  const { stdout } = await promisify(execFile)(process.execPath, [...command, process.execPath, calls], {
    cwd: root,
  })
  expect(JSON.parse(stdout.slice(stdout.indexOf('{')))).toEqual(expected)
})

test('another seed leaves others', async () => {
  const network = await startNetwork({ seed: seed + 1 })
  try {
    const { did } = await network.accounts.create({ handle: 'alice' })
    expect(Object.values(expected.dids)).not.toContain(did)
  } finally {
    await network.stop()
  }
})
