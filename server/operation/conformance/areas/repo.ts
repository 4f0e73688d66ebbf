/** The signed tree of a repository, as anyone reads it. */

import { encode } from '@atproto/lex-cbor'
import { isValidNsid, isValidRecordKey, isValidTid } from '@atproto/syntax'
import { splitKey } from '../../../repository/format/tree-node.ts'
import { InvalidProof, verifyCommit } from '../../../repository/format/verify-commit.ts'
import { cidBytes, cidText } from '../../../util/cid.ts'
import { isSignedBy } from '../../../util/keys.ts'
import { accountOf, collection, newRecord, writerOf } from '../account.ts'
import { expectError, expectStatus, mediaTypeOf, outputOf } from '../answers.ts'
import { observedOf } from '../observed.ts'
import { archiveOf, blockOf, decodeBlock, fetchCar, repositoryOf, treeOf, walkTree } from '../repository.ts'
import { must, type Requirement, should } from '../requirement.ts'
import { lexicon, reference, spec } from '../sources.ts'
import type { Target } from '../target.ts'
import { expect, expectSame, Failed, Skipped } from '../verdict.ts'

const commits = spec('repository', 'Commit Objects')
const trees = spec('repository', 'MST Structure')
const files = spec('repository', 'CAR File Serialization')
const getRecord = 'com.atproto.sync.getRecord'

async function keysOf(target: Target) {
  const { blocks, commit } = await archiveOf(target)
  return walkTree(blocks, treeOf(commit))
}

/** Fetches a proof of the tree and verifies it. @throws Failed */
async function proofOf(target: Target, rkey: string) {
  const { did, signingKey } = await repositoryOf(target)
  const answer = await target.call(getRecord, { query: { did, collection, rkey } })
  expectStatus(answer, 200)
  try {
    const commit = await verifyCommit(answer.bytes, { did, signingKey })
    return commit.record(`${collection}/${rkey}`)
  } catch (error) {
    if (error instanceof InvalidProof) throw new Failed(error.message)
    throw error
  }
}

export const repo: readonly Requirement[] = [
  must('repo.car.root', 'The root of getRepo is a commit of version 3', files, async (target) => {
    const { did } = await repositoryOf(target)
    const { commit } = await archiveOf(target)
    expectSame(commit.version, 3, 'version')
    expectSame(commit.did, did, 'did')
  }),
  should('repo.car.type', 'getRepo has the content type of CAR files', files, async (target) => {
    const { did } = await repositoryOf(target)
    const answer = await target.call('com.atproto.sync.getRepo', { query: { did } })
    expectSame(mediaTypeOf(answer), 'application/vnd.ipld.car', 'the content type')
  }),
  must('repo.car.complete', 'getRepo has every node and every record', files, async (target) => {
    const { blocks } = await archiveOf(target)
    const records = await keysOf(target)
    for (const cid of records.values()) decodeBlock(blockOf(blocks, cid))
    return `${records.size} records`
  }),
  must(
    'repo.car.since',
    'getRepo with since has what later commits have added',
    lexicon('com.atproto.sync.getRepo'),
    async (target) => {
      const writer = await writerOf(target)
      const { did } = writer.account
      const before = await fetchCar(target, 'getRepo', { did })
      const { cid } = await writer.create()
      const { commit, blocks } = await fetchCar(target, 'getRepo', { did, since: String(before.commit.rev) })
      expect(String(commit.rev) > String(before.commit.rev), `the root has the revision ${commit.rev}`)
      blockOf(blocks, cidBytes(cid))
    },
  ),
  must(
    'repo.commit.signature',
    'The commit is signed by the key of the DID document',
    commits,
    async (target) => {
      const { signingKey } = await repositoryOf(target)
      const { sig, ...unsigned } = (await archiveOf(target)).commit
      expect(sig instanceof Uint8Array, 'the commit has no signature')
      expect(await isSignedBy(signingKey, encode(unsigned), sig), `the commit is not signed by ${signingKey}`)
    },
  ),
  must('repo.commit.prev', 'The commit has prev, which is null or a link', commits, async (target) => {
    const { commit } = await archiveOf(target)
    expect(commit.prev !== undefined, 'the commit has no prev')
  }),
  must('repo.commit.rev', 'The revision of the commit is a TID', commits, async (target) => {
    const { rev } = (await archiveOf(target)).commit
    expect(typeof rev === 'string' && isValidTid(rev), `rev is ${rev}`)
  }),
  must(
    'repo.commit.latest',
    'getLatestCommit names the commit of getRepo',
    lexicon('com.atproto.sync.getLatestCommit'),
    async (target) => {
      const { did } = await repositoryOf(target)
      const latest = async () =>
        outputOf(await target.call('com.atproto.sync.getLatestCommit', { query: { did } }))
      const before = await latest()
      const { root, commit } = await fetchCar(target, 'getRepo', { did })
      const after = await latest()
      if (before.rev !== after.rev) throw new Skipped('the repository changed meanwhile')
      expectSame([after.cid, after.rev], [cidText(root), commit.rev], 'cid and rev')
    },
  ),
  must(
    'repo.commit.rev-monotonic',
    'Each write has a later revision',
    spec('sync', 'Repository Revisions'),
    async (target) => {
      const { commits } = await observedOf(target)
      const revs = commits.map(({ body }) => String(body.rev))
      for (const [index, rev] of revs.entries()) {
        const before = revs[index - 1] ?? ''
        expect(rev > before, `the revision ${rev} follows ${before}`)
      }
    },
  ),
  must('repo.tree.valid', 'The tree has the only form that its keys permit', trees, async (target) => {
    await keysOf(target)
  }),
  must(
    'repo.tree.paths',
    'Keys of the tree are collections and record keys',
    spec('repository', 'Repository Paths'),
    async (target) => {
      for (const key of (await keysOf(target)).keys()) {
        const { collection, rkey } = splitKey(key)
        expect(isValidNsid(collection) && isValidRecordKey(rkey), `${key} is not the path of a record`)
      }
    },
  ),
  must(
    'repo.proof.record',
    'sync.getRecord proves a record by the signed tree',
    lexicon(getRecord),
    async (target) => {
      const { rkey, cid } = await (await writerOf(target)).create()
      expectSame((await proofOf(target, rkey))?.cid, cid, 'the proven record')
    },
  ),
  should(
    'repo.proof.absence',
    'sync.getRecord proves that a record is absent',
    reference('com.atproto.sync.getRecord'),
    async (target) => {
      await accountOf(target)
      expectSame((await proofOf(target, '3aaaaaaaaaa2z'))?.cid, undefined, 'the proven record')
    },
  ),
  must(
    'repo.blocks',
    'getBlocks has the blocks that are asked for',
    lexicon('com.atproto.sync.getBlocks'),
    async (target) => {
      const { did } = await repositoryOf(target)
      const latest = outputOf(await target.call('com.atproto.sync.getLatestCommit', { query: { did } }))
      const answer = await target.call('com.atproto.sync.getBlocks', { query: { did, cids: latest.cid } })
      expectStatus(answer, 200)
      expect(answer.bytes.includes(Buffer.from(did)), 'the block of the commit is missing')
    },
  ),
  ...['getRepo', 'getLatestCommit', 'getRepoStatus', 'listBlobs'].map((method) =>
    must(
      `repo.absent.${method}`,
      `${method} of an unknown DID is RepoNotFound`,
      lexicon(`com.atproto.sync.${method}`),
      async (target) => {
        const query = { did: 'did:plc:aaaaaaaaaaaaaaaaaaaaaaaa' }
        expectError(await target.call(`com.atproto.sync.${method}`, { query }), [400, 404], ['RepoNotFound'])
      },
    ),
  ),
  must('repo.deleted', 'A deleted record is not in the tree', trees, async (target) => {
    const writer = await writerOf(target)
    const { rkey } = await writer.create(newRecord())
    expectStatus(await writer.remove(rkey), 200)
    const { blocks, commit } = await fetchCar(target, 'getRepo', { did: writer.account.did })
    expect(!walkTree(blocks, treeOf(commit)).has(`${collection}/${rkey}`), 'the tree has the deleted record')
  }),
]
