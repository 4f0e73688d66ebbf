/** Records: changes, conditions, deletions, several writes in one call. */
import { collection, newRecord, writerOf } from '../account.ts'
import { expectError, expectStatus, outputOf } from '../answers.ts'
import { must, type Requirement } from '../requirement.ts'
import { spec } from '../sources.ts'
import { expect, expectSame } from '../verdict.ts'
import { anyCid, readOf, repo } from './record.ts'

const swap = ['InvalidSwap']

export const recordChanges: readonly Requirement[] = [
  must('record.put', 'putRecord creates and replaces a record', repo('putRecord'), async (target) => {
    const writer = await writerOf(target)
    const first = await writer.update('put-twice')
    const second = await writer.update('put-twice')
    expect(first.cid !== second.cid, 'both have the same CID')
    expectSame(outputOf(await readOf(target, 'put-twice')).cid, second.cid, 'cid')
  }),
  must(
    'record.put.swap',
    'putRecord with another swapRecord is InvalidSwap',
    repo('putRecord'),
    async (target) => {
      const writer = await writerOf(target)
      const { rkey } = await writer.create()
      const input = { rkey, record: newRecord(), swapRecord: anyCid }
      expectError(await writer.write('putRecord', input), [400, 409], swap)
    },
  ),
  must(
    'record.commit.swap',
    'A write with another swapCommit is InvalidSwap',
    repo('createRecord'),
    async (target) => {
      const input = { record: newRecord(), swapCommit: anyCid }
      expectError(await (await writerOf(target)).write('createRecord', input), [400, 409], swap)
    },
  ),
  must('record.delete', 'A deleted record is RecordNotFound', repo('deleteRecord'), async (target) => {
    const writer = await writerOf(target)
    const { rkey } = await writer.create()
    expectStatus(await readOf(target, rkey), 200)
    expectStatus(await writer.remove(rkey), 200)
    expectError(await readOf(target, rkey), [400, 404], ['RecordNotFound'])
  }),
  must(
    'record.delete.absent',
    'The deletion of an absent record succeeds',
    repo('deleteRecord'),
    async (target) => {
      expectStatus(await (await writerOf(target)).remove('3aaaaaaaaaa2z'), 200)
    },
  ),
  must(
    'record.batch.atomic',
    'applyWrites writes nothing if one write is refused',
    repo('applyWrites'),
    async (target) => {
      const { account } = await writerOf(target)
      const create = { $type: 'com.atproto.repo.applyWrites#create', collection, value: newRecord() }
      const writes = [
        { ...create, rkey: 'half-written' },
        { ...create, rkey: '..' },
      ]
      expectError(
        await account.call('com.atproto.repo.applyWrites', { input: { repo: account.did, writes } }),
        [400],
      )
      expectError(await readOf(target, 'half-written'), [400, 404], ['RecordNotFound'])
    },
  ),
  must(
    'record.batch.limit',
    'applyWrites refuses 201 writes',
    spec('sync', '`#commit` Events'),
    async (target) => {
      const { account } = await writerOf(target)
      const writes = Array.from({ length: 201 }, (_, index) => ({
        $type: 'com.atproto.repo.applyWrites#create',
        ...{ collection, rkey: `many-${index}`, value: newRecord() },
      }))
      expectError(
        await account.call('com.atproto.repo.applyWrites', { input: { repo: account.did, writes } }),
        [400, 413],
      )
    },
  ),
]
