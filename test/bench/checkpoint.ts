/** Event-loop delay during a checkpoint. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from './client.ts'
import { adminAuth } from './operations.ts'
import type { LoopDelay } from './probe.ts'
import { Measured } from './processes.ts'

export interface CheckpointStops {
  readonly quiet: LoopDelay
  readonly checkpointing: LoopDelay
}

/** Writes until a checkpoint has ended, on a data directory with rows. */
export async function measureCheckpoint(dir: string): Promise<CheckpointStops> {
  await using server = await Measured.pds(dir, ['--import', join(import.meta.dirname, 'probe.ts')])
  using client = new Client(server.url)
  const write = (codeCount: number) => client.call('createInviteCodes', { codeCount, useCount: 1 }, adminAuth)
  for (let i = 0; i < 200; i++) await write(1)
  await server.ask('start')
  for (let i = 0; i < 500; i++) await write(1)
  const quiet = await server.ask<LoopDelay>('end')

  const journal = await journalOf(dir)
  while ((await journalOf(dir)) === journal) await write(100)
  await server.ask('start')
  // A checkpoint ends by removing the old journal.
  while ((await readdir(dir)).includes(journal)) await write(1)
  return { quiet, checkpointing: await server.ask<LoopDelay>('end') }
}

/** Name of the current journal. */
async function journalOf(dir: string): Promise<string> {
  const journals = (await readdir(dir)).filter((name) => name.endsWith('.journal'))
  return journals.sort().at(-1) ?? ''
}
