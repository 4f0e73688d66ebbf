/**
 * `npm run bench -- gate`: CPU time per request beside a bare express handler that sends the same bytes. Fails if the ratio is more
 * than 15 % above the one in gate.json, which is of the last change that was accepted.
 */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { alternate } from './alternate.ts'
import { Client } from './client.ts'
import { folder } from './folders.ts'
import type { Load } from './load.ts'
import { createAccount } from './operations.ts'
import { Measured } from './processes.ts'
import { type Row, table } from './table.ts'
import { answerOf } from './throughput.ts'

const kept: Record<string, number> = JSON.parse(readFileSync(join(import.meta.dirname, 'gate.json'), 'utf8'))
const rounds = 7
const tolerance = 1.15

export async function benchGate(): Promise<void> {
  await using pds = await Measured.pds(await folder())
  await using express = await Measured.bareExpress()
  using client = new Client(pds.url)
  const { accessJwt: token } = await createAccount(client, 'alice')
  const rows: Row[] = []
  for (const [method, limit] of Object.entries(kept)) {
    const path = `/xrpc/com.core.server.${method}`
    const load: Load = { path, calls: [{ token }], amount: 10_000 }
    await express.ask(await answerOf(client, load))
    const [ours, bare, ratio] = await alternate([pds, load], [express, load], rounds)
    rows.push({
      '': method,
      'CPU µs': ours.cpuPerRequest,
      'express CPU µs': bare.cpuPerRequest,
      ratio,
      'kept ratio': limit,
      result: ratio > limit * tolerance ? 'too slow' : 'ok',
    })
  }
  table(`CPU per request beside a bare express handler: medians of ${rounds} alternating rounds`, rows)
  if (rows.some(({ result }) => result === 'too slow'))
    throw new Error(
      'A method takes more CPU than it may. If there is a reason, write the ratio in test/bench/gate.json',
    )
}
