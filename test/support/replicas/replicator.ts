/** A store and a replicator of it, without a server. */

import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createMediaNames } from '../../../server/operation/replicas/media-names.ts'
import { ReplicaKey } from '../../../server/operation/replicas/replica-key.ts'
import { createReplicator, type Replicator } from '../../../server/operation/replicas/replicator.ts'
import type { ReplicatorDeps } from '../../../server/operation/replicas/replicator-state.ts'
import { createSealer, type Sealer } from '../../../server/operation/replicas/sealer.ts'
import { beginTimeline } from '../../../server/operation/replicas/timeline.ts'
import { schema } from '../../../server/schema/schema.ts'
import { Database } from '../../../server/store/database.ts'
import { nodeFiles } from '../../../server/store/files/files.ts'
import { keptJournals } from '../../../server/store/journal/retire.ts'

interface OwnStore {
  /** Removed after the last test of the file. */
  root: string
  /** Of the current test. */
  dataDir: string
  store: Database
  sealer: Sealer
}

/** Opens a store in a data directory of its own for each test. */
export function setupStore(now: () => Date): OwnStore {
  const own = {} as OwnStore
  beforeAll(async () => {
    own.root = await mkdtemp(join(tmpdir(), 'pds-replicas-'))
    own.sealer = createSealer(await ReplicaKey.generate())
  })
  afterAll(async () => {
    await own.sealer.end()
    await rm(own.root, { recursive: true })
  })
  beforeEach(async () => {
    own.dataDir = await mkdtemp(join(own.root, 'data-'))
    await mkdir(keptJournals(own.dataDir), { recursive: true })
    own.store = await Database.open({ directory: own.dataDir, schema, now })
  })
  afterEach(() => own.store.close())
  return own
}

export async function insert(store: Database, text: string): Promise<void> {
  await store.transact((tx) => tx.run('INSERT INTO secrets VALUES (?, ?)', [text, Buffer.from(text)]))
}

type Given = Pick<ReplicatorDeps, 'store' | 'dataDir' | 'now' | 'place' | 'sealer'> & Partial<ReplicatorDeps>

export async function replicatorOf(given: Given): Promise<Replicator> {
  const { store, dataDir, now, sealer, files = nodeFiles } = given
  return createReplicator({
    ...{ files, id: 'place', onState() {}, besideMs: 15_000, isMetered: async () => false },
    mediaNames: createMediaNames(store, sealer),
    timelines: given.timelines ?? (await beginTimeline(files, dataDir, { seq: store.seq, now })),
    ...given,
  })
}
