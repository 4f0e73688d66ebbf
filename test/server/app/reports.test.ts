/** Reports of accounts: to the owner of this server, or to the moderation service that the client names. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { day } from '../../support/server/clock.ts'
import { type Account, adminAuth, refusal } from '../../support/server/server.ts'
import { owner, renewSessions, server, setupServer, social } from '../../support/server/setup.ts'
import { json, StubService } from '../../support/services/stub-service.ts'

const createReport = 'com.atproto.moderation.createReport'
const repoRef = (did: string) => ({ $type: 'com.atproto.admin.defs#repoRef', did })
const spam = 'com.atproto.moderation.defs#reasonSpam'
const otherReason = 'tools.ozone.report.defs#reasonOther'

interface Listed {
  readonly id: number
}

const list = async (params: Record<string, string> = {}): Promise<Listed[]> =>
  (await server.get('com.core.admin.listReports', params, owner)).body.reports
const close = (id: number, resolution: string) =>
  server.post('com.core.admin.closeReport', { id, resolution }, owner)

/** Sends a report with a header that names a moderation service. */
function report(reporter: Account, input: object, service?: string) {
  const headers = {
    authorization: `Bearer ${reporter.accessJwt}`,
    'content-type': 'application/json',
    ...(service && { 'atproto-proxy': service }),
  }
  return server.fetch(`/xrpc/${createReport}`, { method: 'POST', headers, body: JSON.stringify(input) })
}

async function reportId(reporter: Account, subject: object): Promise<number> {
  const answer = await server.post(createReport, { reasonType: spam, subject }, reporter)
  expect(answer.status).toBe(200)
  return answer.body.id
}

describe('to the owner of this server', () => {
  setupServer({ accounts: ['owner-of-all', 'bob'] })

  test('an account is reported, and the owner sees it', async () => {
    const alice = await server.account('alice')
    const input = { reasonType: otherReason, reason: 'Sells pills', subject: repoRef(alice.did) }
    const bob = await server.account('bobby')
    const { status, body } = await server.post(createReport, input, bob)
    expect(status).toBe(200)
    expect(body).toEqual({
      ...{ id: expect.any(Number), ...input, reportedBy: bob.did, createdAt: expect.any(String) },
    })
    const { createdAt } = body
    expect((await list())[0]).toEqual({
      id: body.id,
      reasonType: otherReason,
      reason: 'Sells pills',
      subject: { $type: 'com.core.admin.defs#repoRef', did: alice.did },
      subjectHandle: alice.handle,
      ...{ reportedBy: bob.did, reporterHandle: bob.handle, createdAt },
    })
  })

  test('a record is reported, also one of another server, and this server may be named', async () => {
    const carol = await server.account('carol')
    const { uri, cid } = await social.post(carol, { text: 'Cheap pills' })
    const elsewhere = `at://did:plc:aaaaaaaaaaaaaaaaaaaaaaaa/app.bsky.feed.post/3jzfcijpj2z2a`
    const { body: described } = await server.get('com.core.server.describeServer')
    for (const named of [uri, elsewhere]) {
      const subject = { $type: 'com.atproto.repo.strongRef', uri: named, cid }
      const answer = await report(carol, { reasonType: spam, subject }, `${described.did}#atproto_labeler`)
      expect(answer).toMatchObject({ status: 200, body: { reasonType: spam } })
    }
    const reasonType = 'com.core.moderation.defs#reasonSpam'
    expect(await list({ limit: '2' })).toMatchObject([
      { reasonType, subject: { uri: elsewhere.replace('bsky', 'example'), cid } },
      { subject: { uri, cid }, subjectHandle: carol.handle },
    ])
  })

  test('a report to another service is refused without an app view: it may be about the owner', async () => {
    const dan = await server.account('dan')
    const before = await list()
    const answer = await report(
      dan,
      { reasonType: spam, subject: repoRef(owner.did) },
      'did:web:mod.example#x',
    )
    expect(answer.status).toBe(400)
    expect(await list()).toEqual(before)
  })

  test('the owner closes reports, and reads open and closed ones page by page', async () => {
    const erin = await server.account('erin')
    const ids = []
    for (const _ of [1, 2, 3]) ids.push(await reportId(erin, repoRef(owner.did)))
    const [first, second, third] = ids as [number, number, number]
    expect((await close(first, 'resolved')).status).toBe(200)
    expect((await close(second, 'dismissed')).status).toBe(200)
    expect(await close(first, 'dismissed')).toMatchObject(refusal(400, 'ReportNotFound'))
    expect((await list()).map(({ id }) => id)).toContain(third)
    expect((await list()).map(({ id }) => id)).not.toContain(second)
    const page = await server.get('com.core.admin.listReports', { closed: 'true', limit: '1' }, owner)
    expect(page.body.reports).toMatchObject([
      { id: second, resolution: 'dismissed', closedAt: expect.any(String) },
    ])
    const next = await list({ closed: 'true', limit: '1', cursor: page.body.cursor })
    expect(next).toMatchObject([{ id: first, resolution: 'resolved' }])
  })

  test('the reports of a deleted account are deleted', async () => {
    const frank = await server.account('frank')
    const id = await reportId(frank, repoRef(owner.did))
    await server.post('com.core.admin.deleteAccount', { did: frank.did }, adminAuth)
    expect((await list()).map((one) => one.id)).not.toContain(id)
  })

  test('an account that is taken down can report, an anonymous caller cannot', async () => {
    const grace = await server.account('grace')
    await server.setStatus(grace.did, { takedown: true })
    const { body: session } = await server.signIn(grace, { allowTakendown: true })
    await reportId({ ...grace, ...session }, repoRef(grace.did))
    const input = { reasonType: spam, subject: repoRef(grace.did) }
    expect(await server.post(createReport, input)).toMatchObject(refusal(401, 'AuthMissing'))
  })

  test('a subject of another kind, and the 201st open report of an account, are refused', async () => {
    const heidi = await server.account('heidi')
    const message = { $type: 'chat.bsky.convo.defs#messageRef', did: heidi.did, messageId: 'a', convoId: 'b' }
    const unknown = await server.post(createReport, { reasonType: spam, subject: message }, heidi)
    expect(unknown).toMatchObject(refusal(400, 'InvalidRequest'))
    for (let number = 0; number < 200; number++) await reportId(heidi, repoRef(owner.did))
    const input = { reasonType: spam, subject: repoRef(owner.did) }
    const refused = refusal(429, 'RateLimitExceeded')
    expect(await server.post(createReport, input, heidi)).toMatchObject(refused)
    server.clock.advance(2 * day)
    await renewSessions()
    await close((await list())[0]?.id ?? 0, 'dismissed')
    const { body: renewed } = await server.signIn(heidi)
    await reportId({ ...heidi, ...renewed }, repoRef(owner.did))
  })

  test('clients of accounts here are shown this server as a labeler', async () => {
    const ivan = await server.account('ivan')
    const { body: described } = await server.get('com.core.server.describeServer')
    for (const detailed of ['true', 'false']) {
      const params = { dids: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', detailed }
      const { body } = await server.get('app.bsky.labeler.getServices', params, ivan)
      expect(body.views).toMatchObject([{ creator: { did: described.did } }])
      const { body: anonymous } = await server.get('app.bsky.labeler.getServices', params)
      expect(anonymous.views).toEqual([])
    }
  })
})

describe('with an app view', () => {
  let appView: StubService
  let moderation: StubService
  beforeAll(async () => {
    appView = await StubService.start()
    moderation = await StubService.start()
  })
  afterAll(() => Promise.all([appView.close(), moderation.close()]))
  setupServer({
    accounts: ['owner-of-all', 'bob'],
    config: () => ({ appViewDid: 'did:web:view.test', appViewUrl: appView.url, allowPrivateTargets: true }),
  })
  beforeEach(() => moderation.reset())

  test('a report is forwarded to the service that the client names', async () => {
    moderation.respond = json({ id: 7 })
    const input = { reasonType: spam, subject: repoRef(owner.did) }
    expect(await report(owner, input, `${moderation.did}#stub`)).toMatchObject({
      status: 200,
      body: { id: 7 },
    })
    expect(moderation.lastCall.path).toBe(`/xrpc/${createReport}`)
    expect(JSON.parse(String(moderation.lastCall.body))).toEqual(input)
    expect(await list()).toEqual([])
  })

  test('a report without a service stays here', async () => {
    const id = await reportId(owner, repoRef(owner.did))
    expect(await list()).toMatchObject([{ id }])
    expect([...moderation.calls, ...appView.calls]).toEqual([])
  })
})
