/** One slow host does not delay reads from others. */
import { setImmediate } from 'node:timers/promises'
import type { DidString, NsidString, RecordKeyString } from '@atproto/syntax'
import { expect, test } from 'vitest'
import type { Link } from '../../../../server/federation/backlinks/link.ts'
import { createLinkQueue } from '../../../../server/federation/backlinks/link-queue.ts'
import { createRetries } from '../../../../server/federation/remote/retries.ts'
import { createLogger } from '../../../../server/util/log.ts'

const background = { run: (_: string, work: () => Promise<unknown>) => void work(), idle: async () => {} }
const log = createLogger('error', { write() {} })
const { signal } = new AbortController()
const isSlow = (name: string) => name.includes('slow')
const hangs = () => new Promise<never>(() => {})

async function turns(count = 20): Promise<void> {
  for (let turn = 0; turn < count; turn++) await setImmediate()
}

test('records of other hosts are fetched while all links of one host wait', async () => {
  const loaded: string[] = []
  const queue = createLinkQueue({
    records: {
      isKnown: () => false,
      async load({ did, rkey }) {
        loaded.push(`${did}/${rkey}`)
        return isSlow(did) ? hangs() : 'kept'
      },
    },
    hostOf: async (did) => (isSlow(did) ? 'https://slow.example' : 'https://other.example'),
    ...{ background, signal, now: () => new Date() },
  })
  const link = (name: string, rkey = 'a'): Link => ({
    did: `did:plc:${name}` as DidString,
    collection: 'app.bsky.feed.like' as NsidString,
    rkey: rkey as RecordKeyString,
    rev: undefined,
  })
  for (let n = 0; n < 100; n++) queue.add(link(`slow${n}`))
  for (let n = 0; n < 10; n++) queue.add(link(`other${n}`))
  await turns(300)
  expect(loaded.filter(isSlow)).toHaveLength(2)
  expect(loaded.filter((did) => !isSlow(did))).toHaveLength(10)
  for (let n = 0; n < 6000; n++) queue.add(link(`slow-more${n}`))
  queue.add(link('other0', 'last'))
  await turns(300)
  expect(queue.counts().dropped).toBeGreaterThan(0)
  expect(loaded).toContain('did:plc:other0/last')
})

test('repositories of other hosts are read while one host holds half of the places', async () => {
  const rows = ['slow1', 'slow2', 'slow3', 'slow4', 'other1', 'other2', 'other3'].map((key) => ({
    key,
    failures: 0,
    host: isSlow(key) ? 'slow' : 'other',
  }))
  const worked: string[] = []
  const { startDue } = createRetries<(typeof rows)[number]>({
    ...{ name: 'reading', parallel: 4, background, log, signal },
    keyOf: ({ key }) => key,
    hostOf: ({ host }) => host,
    due: (limit, busy) => rows.filter(({ host }) => !busy.includes(host)).slice(0, limit),
    async work({ key }) {
      worked.push(key)
      if (isSlow(key)) await hangs()
    },
    async done(row) {
      rows.splice(rows.indexOf(row), 1)
    },
    postpone: async () => {},
    giveUp: async () => {},
  })
  startDue()
  await turns()
  expect(worked).toEqual(['slow1', 'slow2', 'other1', 'other2', 'other3'])
})
