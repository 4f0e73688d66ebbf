/** Records: new ones, and how others read them. */
import { encode } from '@atproto/lex-cbor'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import { isValidTid } from '@atproto/syntax'
import { cborCid } from '../../../util/cid.ts'
import { collection, newRecord, writerOf } from '../account.ts'
import { expectError, expectStatus, outputOf, refusals } from '../answers.ts'
import { must, type Requirement, should } from '../requirement.ts'
import { lexicon, reference, spec, vectors } from '../sources.ts'
import type { Target } from '../target.ts'
import { expect, expectSame, shown } from '../verdict.ts'

export const repo = (method: string) => lexicon(`com.atproto.repo.${method}`)
export const anyCid = 'bafyreie5cvv4h45feadgeuwhbcutmh6t2ceseocckahdoe6uat64zmz454'

export const readOf = async (target: Target, rkey: string, more: Record<string, string> = {}) => {
  const { account } = await writerOf(target)
  return target.call('com.atproto.repo.getRecord', {
    query: { repo: account.did, collection, rkey, ...more },
  })
}

/** The first invalid record keys of the vectors that a URL or a body can have. */
const invalidKeys = ['example/record', '..', '.', 'a b', '#extra', '@handle', '(example)', '']

export const record: readonly Requirement[] = [
  must(
    'record.create.key',
    'A new record gets a TID as its key',
    spec('record-key', 'Record Key Type: `tid`'),
    async (target) => {
      const { rkey } = await (await writerOf(target)).create()
      expect(isValidTid(rkey), `the key is ${rkey}`)
    },
  ),
  must(
    'record.create.cid',
    'The CID of a record is the hash of its DAG-CBOR',
    spec('data-model', 'Link and CID Formats'),
    async (target) => {
      const { cid, value } = await (await writerOf(target)).create()
      expectSame(cid, cborCid(encode(jsonToLex(value as JsonValue))), 'cid')
    },
  ),
  must(
    'record.create.uri',
    'The URI names the DID, the collection and the key',
    repo('createRecord'),
    async (target) => {
      const writer = await writerOf(target)
      const { uri, rkey } = await writer.create(newRecord(), { rkey: 'a-key' })
      expectSame([uri, rkey], [`at://${writer.account.did}/${collection}/a-key`, 'a-key'], 'uri')
    },
  ),
  should(
    'record.create.commit',
    'The answer names the commit of the write',
    repo('createRecord'),
    async (target) => {
      const { commit } = await (await writerOf(target)).create()
      expect(commit?.cid && isValidTid(commit.rev), `commit is ${shown(commit)}`)
    },
  ),
  must(
    'record.create.exists',
    'createRecord does not replace a record',
    reference('com.atproto.repo.createRecord'),
    async (target) => {
      const writer = await writerOf(target)
      const { rkey, cid } = await writer.create()
      expectStatus(await writer.write('createRecord', { rkey, record: newRecord() }), ...refusals)
      expectSame(outputOf(await readOf(target, rkey)).cid, cid, 'cid')
    },
  ),
  must(
    'record.create.type',
    'A record whose $type is not its collection is refused',
    repo('createRecord'),
    async (target) => {
      const record = { $type: 'com.example.other', text: '' }
      expectError(await (await writerOf(target)).write('createRecord', { record }), [400])
    },
  ),
  must(
    'record.create.keys',
    'Invalid record keys are refused',
    vectors('syntax/recordkey_syntax_invalid.txt'),
    async (target) => {
      const writer = await writerOf(target)
      for (const rkey of invalidKeys) {
        const { status, asked } = await writer.write('createRecord', { rkey, record: newRecord() })
        expect(status === 400, `the key "${rkey}": ${asked} answered ${status}`)
      }
    },
  ),
  must(
    'record.create.other',
    'An account writes to no other repository',
    repo('createRecord'),
    async (target) => {
      const input = { repo: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa', record: newRecord() }
      expectError(await (await writerOf(target)).write('createRecord', input), refusals)
    },
  ),
  should(
    'record.create.float',
    'A number with a fraction is refused',
    spec('data-model', 'Data Types'),
    async (target) => {
      const record = newRecord({ number: 1.5 })
      expectStatus(await (await writerOf(target)).write('createRecord', { record }), 400)
    },
  ),
  must(
    'record.get',
    'getRecord answers the record without credentials',
    repo('getRecord'),
    async (target) => {
      const { uri, cid, value, rkey } = await (await writerOf(target)).create()
      const output = outputOf(await readOf(target, rkey))
      expectSame([output.uri, output.cid], [uri, cid], 'uri and cid')
      expectSame(
        cborCid(encode(jsonToLex(output.value))),
        cborCid(encode(jsonToLex(value as JsonValue))),
        'value',
      )
    },
  ),
  must('record.get.absent', 'An absent record is RecordNotFound', repo('getRecord'), async (target) => {
    expectError(await readOf(target, '3aaaaaaaaaa2z'), [400, 404], ['RecordNotFound'])
  }),
  must('record.get.cid', 'A record with another CID is RecordNotFound', repo('getRecord'), async (target) => {
    const { rkey } = await (await writerOf(target)).create()
    expectError(await readOf(target, rkey, { cid: anyCid }), [400, 404], ['RecordNotFound'])
  }),
  must(
    'record.list',
    'listRecords has the newest first, and the oldest with reverse',
    repo('listRecords'),
    async (target) => {
      const writer = await writerOf(target)
      const uris = [(await writer.create()).uri, (await writer.create()).uri]
      const query = { repo: writer.account.did, collection, limit: '100' }
      const list = async (more = {}): Promise<string[]> => {
        const { records } = outputOf(
          await target.call('com.atproto.repo.listRecords', { query: { ...query, ...more } }),
        )
        return records.map(({ uri }: { uri: string }) => uri).filter((uri: string) => uris.includes(uri))
      }
      expectSame(await list(), uris.toReversed(), 'the order')
      expectSame(await list({ reverse: 'true' }), uris, 'the order with reverse')
    },
  ),
  must('record.describe', 'describeRepo lists the collection', repo('describeRepo'), async (target) => {
    const writer = await writerOf(target)
    await writer.create()
    const answer = await target.call('com.atproto.repo.describeRepo', { query: { repo: writer.account.did } })
    expect(outputOf(answer).collections.includes(collection), 'the collection is absent')
  }),
]
