/** Deletion of an account that has been used for a year. */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { blobsName } from '../../../server/store/files/layout.ts'
import { countRows, idOf } from '../../support/lived-in/account-rows.ts'
import { lived, people, runJobs, setupLivedIn } from '../../support/lived-in/lived-in.ts'
import { filesIn } from '../../support/records/blobs.ts'
import { day, minute } from '../../support/server/clock.ts'
import { adminAuth, type TestServer } from '../../support/server/server.ts'
import { server as original } from '../../support/server/setup.ts'
import { body, createdAt } from '../../support/server/social.ts'
import { mentionsOf } from '../../support/store/scan.ts'

setupLivedIn()

let server: TestServer
beforeEach(async () => {
  server = await original.copy()
})
afterEach(() => server.close())

const call = async (nsid: string, input: object | undefined, auth: Parameters<TestServer['post']>[2]) =>
  body(await server.post(nsid, input, auth))

const deletions: Record<string, () => Promise<unknown>> = {
  async 'by its holder'() {
    const { ann } = people
    await call('com.core.server.requestAccountDelete', undefined, ann)
    const token = await server.codeTo(ann.email)
    const input = { did: ann.did, password: ann.password, token, authFactorToken: lived.factors.code() }
    await call('com.core.server.deleteAccount', input, ann)
  },

  async 'by its holder, with a code for the password'() {
    const { ann } = people
    const { did, password } = ann
    const authFactorToken = lived.factors.recoveryCodes.at(-1)
    const input = { purpose: 'deleteAccount', password, authFactorToken }
    const { token } = await call('com.core.server.createCode', input, ann)
    await call('com.core.server.deleteAccount', { did, password, token }, ann)
  },

  async 'at its date'() {
    const { ann } = people
    await call('com.core.move.cancelMove', {}, ann)
    const deleteAfter = new Date(server.clock.now().getTime() + 3 * day).toISOString()
    await call('com.core.server.deactivateAccount', { deleteAfter }, ann)
    await server.running.services.background.idle()
    await server.elapse(4 * day)
    await runJobs(server)
  },

  'by the administrator': () => call('com.core.admin.deleteAccount', { did: people.ann.did }, adminAuth),

  async 'after a takedown'() {
    const { did } = people.ann
    await server.setStatus(did, { takedown: true })
    await call('com.core.admin.deleteAccount', { did }, adminAuth)
  },
}

/** Tables in which rows of others, or of the server, name the deleted account. */
const left: Readonly<Record<string, string>> = {
  actors: 'others refer to it',
  subjects: 'others refer to its records',
  follow_counts: 'others follow it',
  bookmarks: 'others saved its posts',
  mutes: 'others mute it',
  activity_subscriptions: 'others subscribe to it, and its identity may live elsewhere',
  muted_threads: 'others mute its threads',
  reports: 'others reported it',
  invite_code_uses: 'its invite code was used',
  events: 'its deletion is reported to consumers',
  event_removals: 'its earlier events are being deleted',
  remote_actors: 'its last revision: a new account of the DID continues after it',
}

/** Columns in which records and reports of others contain its DID. */
const texts = ['records.bytes', 'reports.uri']

test.each(Object.keys(deletions))('deletion %s leaves only the rows of others', async (way) => {
  const { store, background } = server.running.services
  const { ann, ben } = people
  const { did, email } = ann
  const id = idOf(store, did)
  // The write and the use are counted in memory, and written by jobs after the deletion.
  const post = { repo: did, collection: 'app.example.feed.post', record: { text: 'last', createdAt } }
  await call('com.core.repo.createRecord', post, ann)
  server.clock.advance(10 * minute)
  await server.get('com.core.server.getSession', {}, ann)
  await deletions[way]?.()
  await runJobs(server)

  expect(store.get('SELECT 1 FROM accounts WHERE id = ?', [id])).toBeUndefined()
  const counts = countRows(store, { id, did })
  expect(Object.keys(counts).filter((table) => counts[table] !== 0 && !(table in left))).toEqual([])
  const columns = mentionsOf(store, did).map((mention) => mention.split(':')[0] ?? '')
  const others = [...new Set(columns)].filter((column) => !((column.split('.')[0] ?? '') in left))
  expect(others.filter((column) => !texts.includes(column))).toEqual([])
  for (const text of [email, 'Ann Lived', 'ann-new']) expect(mentionsOf(store, text)).toEqual([])
  expect(store.all('PRAGMA foreign_key_check')).toEqual([])
  await background.idle()
  expect(await server.mailsTo(email)).toEqual([])
  expect(await filesIn(server.config.dataDir, blobsName)).toEqual([])
  expect((await server.signIn(ben)).status).toBe(200)
})
