/** Durability on the real disk: a writing process is killed again and again. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { Database } from '../../../../server/store/database.ts'
import { pairs } from '../../../support/store/pairs.ts'

const writer = fileURLToPath(new URL('./writer.ts', import.meta.url))
const kills = 20

/**
 * Lets a process write until it has acknowledged `lines` transactions, kills it and returns the lines that it
 * acknowledged.
 */
async function writeAndKill(directory: string, lines: number): Promise<number[]> {
  const child = spawn(process.execPath, ['--no-warnings', writer, directory])
  const acknowledged: number[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    acknowledged.push(Number(line))
    if (acknowledged.length === lines) child.kill('SIGKILL')
  }
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  expect(child.signalCode).toBe('SIGKILL')
  return acknowledged
}

test(`acknowledged transactions survive ${kills} kills`, { timeout: 300_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'pds-kill-'))
  const promised: number[] = []
  for (let kill = 1; kill <= kills; kill++) {
    promised.push(...(await writeAndKill(directory, 1 + ((kill * 37) % 200))))
    // Sometimes the next process recovers the files of two killed ones.
    if (kill % 3 === 0) continue
    const db = await Database.open({ directory, schema: pairs, now: () => new Date() })
    const there = db.all<{ id: number }>('SELECT id FROM one ORDER BY id').map(({ id }) => id)
    expect(db.all<{ id: number }>('SELECT id FROM two ORDER BY id').map(({ id }) => id)).toEqual(there)
    expect(
      promised.filter((id) => !there.includes(id)),
      `after kill ${kill}`,
    ).toEqual([])
    await db.close()
  }
  rmSync(directory, { recursive: true })
})
