/** Lexicons of others: found by DNS, read with their proof, used to validate records when a client asks for it. */
import { P256Keypair } from '@atproto/crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { NameServer } from '../../../support/network/dns.ts'
import { LexiconPublisher } from '../../../support/remote/lexicon-publisher.ts'
import { minute } from '../../../support/server/clock.ts'
import { refusal } from '../../../support/server/server.ts'
import { owner as alice, server, setupServer } from '../../../support/server/setup.ts'

let names: NameServer
let publisher: LexiconPublisher
beforeAll(async () => {
  names = await NameServer.start()
  publisher = await LexiconPublisher.start(names)
})
afterAll(async () => {
  await publisher.close()
  await names.close()
})

const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more })
const record = (properties: object, more: object = {}) => ({
  type: 'record',
  key: 'tid',
  record: object(properties, more),
})
const text = { type: 'string', maxLength: 10 }

const resolve = (nsid: string) => server.get('com.atproto.lexicon.resolveLexicon', { nsid })
const create = (collection: string, value: object, validate?: boolean) =>
  server.post(
    'com.atproto.repo.createRecord',
    { repo: alice.did, collection, record: value, validate },
    alice,
  )

describe('with a directory', () => {
  setupServer({
    accounts: ['alice'],
    config: () => ({
      plcUrl: 'http://127.0.0.1:9',
      nameServers: [names.address],
      allowPrivateTargets: true,
    }),
  })
  // Each test has a domain of its own, because look-ups are kept.
  let domain = 0
  let note = ''
  beforeEach(() => {
    publisher.own(`notes${++domain}.example`)
    note = `example.notes${domain}.note`
  })
  afterEach(() => {
    publisher.answer = undefined
    names.silent = undefined
  })
  const named = (name: string) => `example.notes${domain}.${name}`

  describe('resolveLexicon', () => {
    const notFound = refusal(400, 'LexiconNotFound')

    test('returns the record, its address and its CID, under both names', async () => {
      await publisher.publish(note, { main: record({ text }) })
      const { status, body } = await resolve(note)
      const uri = `at://${publisher.did}/com.atproto.lexicon.schema/${note}`
      const schema = { lexicon: 1, id: note, defs: { main: record({ text }) } }
      expect({ status, body }).toMatchObject({ status: 200, body: { uri, schema } })
      expect(body.schema.$type).toBe('com.atproto.lexicon.schema')
      expect(body.cid).toMatch(/^bafyrei/)
      const own = await server.get('com.core.lexicon.resolveLexicon', { nsid: note })
      expect(own.body.schema).toMatchObject(schema)
    })

    test('finds a lexicon that changes, and a name that changes its owner, after ten minutes', async () => {
      await publisher.publish(note, { main: record({ text }) })
      const before = await resolve(note)
      const heir = await LexiconPublisher.start(names)
      heir.own(`notes${domain}.example`)
      await heir.publish(note, { main: record({ title: text }) })
      expect((await resolve(note)).body).toEqual(before.body)
      server.clock.advance(11 * minute)
      expect((await resolve(note)).body.uri).toContain(heir.did)
      await heir.close()
    })

    test('asks no other domain of the name', async () => {
      expect(await resolve(`example.notes${domain}.deeper.note`)).toMatchObject(notFound)
      expect(names.queries.filter((name) => name.startsWith('_lexicon.deeper'))).not.toEqual([])
    })

    test.each<[string, () => Promise<void> | void]>([
      ['is not published', () => {}],
      ['has another name in its record', () => publisher.publish(note, {}, { id: named('other') })],
      ['is of another version of the language', () => publisher.publish(note, {}, { lexicon: 2 })],
      ['has no definitions', () => publisher.publish(note, {}, { defs: 'none' })],
      [
        'has more definitions than any lexicon needs',
        () => publisher.publish(note, {}, { items: Array.from({ length: 100_000 }, () => []) }),
      ],
      [
        'comes in 10 MB',
        () => {
          publisher.answer = (_, res) => void res.end(Buffer.alloc(10_000_000))
        },
      ],
      [
        'comes with an error',
        () => {
          publisher.answer = (_, res) => void res.writeHead(500).end()
        },
      ],
      [
        'has two publishers',
        () =>
          void names.records.set(`_lexicon.notes${domain}.example`, [
            'did=did:web:a.example',
            'did=did:web:b.example',
          ]),
      ],
      [
        'has no DID',
        () => void names.records.set(`_lexicon.notes${domain}.example`, ['did=https://a.example']),
      ],
    ])('LexiconNotFound: %s', async (_, prepare) => {
      await prepare()
      const answer = await resolve(note)
      expect(answer).toMatchObject(notFound)
      expect(answer.body.message).toMatch(/^The lexicon cannot be read: /)
    })

    test('LexiconNotFound: the signature is of another key than the document of the publisher has', async () => {
      const forger = await LexiconPublisher.start(names)
      forger.own(`notes${domain}.example`)
      await forger.publish(note, { main: record({ text }) })
      forger.setKey(await P256Keypair.create())
      expect(await resolve(note)).toMatchObject(notFound)
      await forger.close()
    })

    test('503: more look-ups of one caller than it may have under way', async () => {
      names.silent = /slow/
      const busy = Promise.withResolvers<{ status: number; body: { error: string } }>()
      const all = Array.from({ length: 12 }, async (_, n) => {
        const answer = await resolve(`example.slow${n}.note`).catch(() => undefined)
        if (answer?.status === 503) busy.resolve(answer)
      })
      expect((await busy.promise).body.error).toBe('NotEnoughResources')
      await server.restart()
      await Promise.all(all)
    })
  })

  describe('validate: true', () => {
    const invalid = refusal(400, 'InvalidRequest')

    test('checks a record against the published lexicon of its collection', async () => {
      await publisher.publish(note, { main: record({ text }, { required: ['text'] }) })
      expect(await create(note, { text: 'short' }, true)).toMatchObject({
        status: 200,
        body: { validationStatus: 'valid' },
      })
      expect(await create(note, { text: 'much too long' }, true)).toMatchObject(invalid)
      expect(await create(note, {}, true)).toMatchObject(invalid)
    })

    test('checks the record key', async () => {
      await publisher.publish(note, { main: { ...record({ text }), key: 'literal:self' } })
      expect((await create(note, { text: 'a' }, true)).body.uri).toMatch(/\/self$/)
    })

    test('undefined and false look nothing up', async () => {
      await publisher.publish(note, { main: record({ text }) })
      const before = names.queries.length
      const unknown = { status: 200, body: { validationStatus: 'unknown' } }
      expect(await create(note, { text: 'much too long' })).toMatchObject(unknown)
      expect(await create(note, { text: 'much too long' }, false)).toMatchObject(unknown)
      expect(names.queries).toHaveLength(before)
    })

    test('writes nothing for a session that ends during the look-up', async () => {
      await publisher.publish(note, { main: record({ text }) })
      const session = { ...alice, ...(await server.signIn(alice)).body }
      const { promise, resolve } = Promise.withResolvers<void>()
      publisher.ready = promise
      const input = { repo: alice.did, collection: note, record: { text: 'a' }, validate: true }
      const written = server.post('com.atproto.repo.createRecord', input, session)
      await names.queried(new RegExp(`_lexicon.notes${domain}.example`))
      await server.post('com.atproto.server.deleteSession', undefined, session.refreshJwt)
      resolve()
      expect(await written).toMatchObject(refusal(400, 'ExpiredToken', 'Token has been revoked'))
      expect((await create(note, { text: 'a' }, true)).status).toBe(200)
    })

    test('follows references to other lexicons of the network, also in a cycle', async () => {
      await publisher.publish(note, {
        main: record({ of: { type: 'ref', ref: named('defs#place') } }),
        line: object({ text, next: { type: 'ref', ref: '#line' } }, { required: ['text'] }),
      })
      await publisher.publish(named('defs'), {
        place: object({ back: { type: 'ref', ref: `${note}#line` } }),
      })
      const back = (inner: object) => ({ of: { back: { text: 'a', next: { text: 'b', ...inner } } } })
      expect(await create(note, back({}), true)).toMatchObject({ status: 200 })
      expect(await create(note, back({ next: {} }), true)).toMatchObject(invalid)
    })

    test('refuses a record that is nested as deep as the lexicon allows, which is without end', async () => {
      await publisher.publish(note, {
        main: record({ line: { type: 'ref', ref: '#line' } }),
        line: object({ next: { type: 'ref', ref: '#line' } }),
      })
      let line = {}
      for (let depth = 0; depth < 4_000; depth++) line = { next: line }
      expect(await create(note, { line }, true)).toMatchObject(invalid)
    })

    test('applies to the writes of applyWrites, none of which is made if one is invalid', async () => {
      await publisher.publish(note, { main: record({ text }) })
      const writes = ['good', 'much too long'].map((value) => ({
        $type: 'com.atproto.repo.applyWrites#create',
        collection: note,
        value: { text: value },
      }))
      const input = { repo: alice.did, writes, validate: true }
      expect(await server.post('com.atproto.repo.applyWrites', input, alice)).toMatchObject(invalid)
      const { body } = await server.get('com.atproto.repo.listRecords', { repo: alice.did, collection: note })
      expect(body.records).toEqual([])
    })

    test.each<[string, object]>([
      ['is no record', { main: object({}) }],
      ['lacks a definition that it refers to', { main: record({ a: { type: 'ref', ref: '#missing' } }) }],
      [
        'refers to a lexicon that is not published',
        { main: record({ a: { type: 'ref', ref: 'example.unnamed.a' } }) },
      ],
      [
        'has two references to each other',
        {
          main: record({ a: { type: 'ref', ref: '#a' } }),
          a: { type: 'ref', ref: '#b' },
          b: { type: 'ref', ref: '#a' },
        },
      ],
      ['has a key that no record may have', { main: { ...record({}), key: 'literal:../..' } }],
      ['has an unknown type', { main: record({ a: { type: 'regexp' } }) }],
      ['has no definitions', { main: null }],
    ])('InvalidRequest: the lexicon %s', async (_, defs) => {
      await publisher.publish(note, defs)
      const answer = await create(note, { a: { $type: 'x.y.z' } }, true)
      expect(answer).toMatchObject(invalid)
      expect(answer.body.message).toContain(`The lexicon of ${note} cannot be read`)
    })

    test('InvalidRequest: the name servers do not answer', async () => {
      names.silent = /_lexicon/
      const answer = await create(note, { text: 'a' }, true)
      expect(answer).toMatchObject(invalid)
      expect(answer.body.message).toContain('was not found by DNS')
    })
  })
})

describe('without a directory', () => {
  setupServer({
    accounts: ['alice'],
    config: () => ({ nameServers: [names.address], allowPrivateTargets: true }),
  })

  test('no lexicon is looked up', async () => {
    const before = names.queries.length
    expect(await resolve('example.offline.note')).toMatchObject(refusal(400, 'LexiconNotFound'))
    expect(await create('example.offline.note', { text: 'a' }, true)).toMatchObject(
      refusal(400, 'InvalidRequest', 'This server has no lexicon for example.offline.note'),
    )
    expect(await create('example.offline.note', { text: 'a' })).toMatchObject({
      status: 200,
      body: { validationStatus: 'unknown' },
    })
    expect(names.queries).toHaveLength(before)
  })
})
