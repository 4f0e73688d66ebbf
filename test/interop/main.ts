/**
 * `npm run interop`: this server against the reference implementations of the network, which are installed on demand into the
 * system's folder for temporary files. `npm run interop -- copies`: copies at servers that Debian has.
 */
import { after } from 'node:test'
import { agentMoves } from './agent.ts'
import { archives } from './archives.ts'
import { bulk } from './bulk.ts'
import { conformance } from './conformance.ts'
import { copies } from './copies.ts'
import { follow } from './follow.ts'
import { interruptions } from './interruptions.ts'
import { mover } from './mover.ts'
import { moves } from './moves.ts'
import { compareReads } from './reads.ts'
import { seen } from './seen.ts'
import { streams } from './streams.ts'
import { upstreams } from './upstreams.ts'
import { verification } from './verification.ts'
import { openWorld } from './world.ts'

if (process.argv.includes('copies')) copies()
else await references()

async function references(): Promise<void> {
  const world = await openWorld()
  after(() => world.close())

  moves(world)
  agentMoves(world)
  archives(world)
  mover(world)
  bulk(world)
  interruptions(world)
  streams(world)
  follow(world)
  seen(world)
  upstreams(world)
  compareReads(world)
  verification(world)
  conformance(world)
}
