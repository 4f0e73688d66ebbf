/** Interop test vectors of the network: names, values and signatures that every server reads alike. */
import { encode } from '@atproto/lex-cbor'
import { type JsonValue, jsonToLex } from '@atproto/lex-json'
import { cborCid, cidBytes } from '../../../util/cid.ts'
import { algorithmOf, type DidKey, type KeyAlgorithm } from '../../../util/keys.ts'
import { accountOf, collection, newRecord, writerOf } from '../account.ts'
import { expectStatus, outputOf } from '../answers.ts'
import type { Answer } from '../http.ts'
import { archiveOf, blockOf, fetchCar, repositoryOf } from '../repository.ts'
import { must, type Requirement, should } from '../requirement.ts'
import { vectors as file } from '../sources.ts'
import type { Target } from '../target.ts'
import { encoded, invalid, type Noted, valid } from '../vectors/data-model.ts'
import { atUris, dids, handles, nsids, recordKeys, tids } from '../vectors/syntax.ts'
import { expect, expectSame, shown } from '../verdict.ts'
import { adminOf } from './lexicon.ts'

type Call = (target: Target, value: string) => Promise<Answer>

const query =
  (nsid: string, parameters: (value: string, did: string) => Record<string, string>): Call =>
  async (target, value) =>
    target.call(nsid, { query: parameters(value, (await repositoryOf(target)).did) })

const calls = {
  handle: query('com.atproto.identity.resolveHandle', (handle) => ({ handle })),
  did: query('com.atproto.sync.getRepoStatus', (did) => ({ did })),
  nsid: query('com.atproto.repo.listRecords', (name, repo) => ({ repo, collection: name, limit: '1' })),
  recordKey: query('com.atproto.repo.getRecord', (rkey, repo) => ({ repo, collection, rkey })),
  tid: query('com.atproto.sync.listBlobs', (since, did) => ({ did, since, limit: '1' })),
  atUri: (target, uri) =>
    target.call('com.atproto.admin.getSubjectStatus', { query: { uri }, ...adminOf(target) }),
} as const satisfies Record<string, Call>

/** Calls with each value. @throws Failed with the values that are answered otherwise */
async function each(
  target: Target,
  call: Call,
  values: readonly string[],
  isRight: (answer: Answer) => boolean,
): Promise<string> {
  const wrong: string[] = []
  for (const value of values) {
    const answer = await call(target, value)
    if (!isRight(answer)) wrong.push(`${shown(value)} (${answer.status})`)
  }
  expect(
    wrong.length === 0,
    `${wrong.length} of ${values.length} are answered otherwise: ${wrong.join(', ')}`,
  )
  return `${values.length} values`
}

const isRefused = ({ status }: Answer) => status === 400
const isFound = ({ status }: Answer) => status === 200
const isAbsent =
  (error: string) =>
  ({ status, json }: Answer) =>
    (status === 400 || status === 404) && json?.error === error

const names: readonly Requirement[] = [
  must(
    'vectors.handle.invalid',
    'Invalid handles are refused',
    file('syntax/handle_syntax_invalid.txt'),
    (target) => each(target, calls.handle, handles.invalid, isRefused),
  ),
  must('vectors.did.valid', 'Valid DIDs are read', file('syntax/did_syntax_valid.txt'), (target) =>
    each(target, calls.did, dids.valid, isAbsent('RepoNotFound')),
  ),
  must('vectors.did.invalid', 'Invalid DIDs are refused', file('syntax/did_syntax_invalid.txt'), (target) =>
    each(target, calls.did, dids.invalid, (answer) => isRefused(answer) && !isAbsent('RepoNotFound')(answer)),
  ),
  must('vectors.nsid.valid', 'Valid NSIDs are read', file('syntax/nsid_syntax_valid.txt'), (target) =>
    each(target, calls.nsid, nsids.valid, isFound),
  ),
  must(
    'vectors.nsid.invalid',
    'Invalid NSIDs are refused',
    file('syntax/nsid_syntax_invalid.txt'),
    (target) => each(target, calls.nsid, nsids.invalid, isRefused),
  ),
  must(
    'vectors.record-key.valid',
    'Records have each valid key',
    file('syntax/recordkey_syntax_valid.txt'),
    async (target) => {
      const { create } = await writerOf(target)
      for (const rkey of recordKeys.valid) await create(newRecord(), { rkey })
      return each(target, calls.recordKey, recordKeys.valid, isFound)
    },
  ),
  must(
    'vectors.record-key.invalid',
    'Invalid record keys are refused',
    file('syntax/recordkey_syntax_invalid.txt'),
    async (target) => {
      const { write } = await writerOf(target)
      const call: Call = (_, rkey) => write('createRecord', { rkey, record: newRecord() })
      return each(target, call, recordKeys.invalid, isRefused)
    },
  ),
  should('vectors.tid.valid', 'Valid TIDs are read', file('syntax/tid_syntax_valid.txt'), (target) =>
    each(target, calls.tid, tids.valid, isFound),
  ),
  should('vectors.tid.invalid', 'Invalid TIDs are refused', file('syntax/tid_syntax_invalid.txt'), (target) =>
    each(target, calls.tid, tids.invalid, isRefused),
  ),
  should('vectors.at-uri.valid', 'Valid AT URIs are read', file('syntax/aturi_syntax_valid.txt'), (target) =>
    each(target, calls.atUri, atUris.valid, (answer) => answer.json?.error !== 'InvalidRequest'),
  ),
  should(
    'vectors.at-uri.invalid',
    'Invalid AT URIs are refused',
    file('syntax/aturi_syntax_invalid.txt'),
    (target) =>
      each(
        target,
        calls.atUri,
        atUris.invalid,
        ({ status, json }) => status === 400 && json?.error === 'InvalidRequest',
      ),
  ),
]

/** Records with a blob would need the blob. */
const hasBlob = ({ json }: { readonly json: object }) => JSON.stringify(json).includes('"blob"')

async function write(target: Target, { json }: Pick<Noted, 'json'>) {
  const record = newRecord(json)
  return { record, answer: await (await writerOf(target)).write('createRecord', { record }) }
}

const data: readonly Requirement[] = [
  must(
    'vectors.data.encoded',
    'Values have the only DAG-CBOR that is valid for them',
    file('data-model/data-model-fixtures.json'),
    async (target) => {
      const { did } = (await writerOf(target)).account
      for (const { json, cbor } of encoded.filter((one) => !hasBlob(one))) {
        const { answer } = await write(target, { json: { value: json } })
        const { uri, cid } = outputOf(answer)
        const rkey = String(uri).split('/').at(-1) ?? ''
        const { blocks } = await fetchCar(target, 'getRecord', { did, collection, rkey })
        const bytes = Buffer.from(blockOf(blocks, cidBytes(cid)))
        expect(bytes.includes(Buffer.from(cbor, 'base64')), `${shown(json)} has another encoding`)
      }
    },
  ),
  must(
    'vectors.data.valid',
    'Valid values are stored as they are',
    file('data-model/data-model-valid.json'),
    async (target) => {
      for (const one of valid) {
        const { record, answer } = await write(target, one)
        expectStatus(answer, 200)
        expectSame(
          answer.json.cid,
          cborCid(encode(jsonToLex(record as JsonValue))),
          `the CID of “${one.note}”`,
        )
      }
    },
  ),
  should(
    'vectors.data.invalid',
    'Invalid values are refused',
    file('data-model/data-model-invalid.json'),
    async (target) => {
      const accepted: string[] = []
      for (const one of invalid) {
        const { answer } = await write(target, one)
        if (answer.status !== 400) accepted.push(`“${one.note}” (${answer.status})`)
      }
      expect(accepted.length === 0, `these are answered otherwise: ${accepted.join(', ')}`)
    },
  ),
]

/** Half of the order of the groups of P-256 and secp256k1. */
const halfOrders = {
  ES256: 0x7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8n,
  ES256K: 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n,
} as const satisfies Record<KeyAlgorithm, bigint>

const signatures: readonly Requirement[] = [
  must(
    'vectors.signature.low-s',
    'The signature of the commit has the lower of the two values of S',
    file('crypto/signature-fixtures.json'),
    async (target) => {
      if (target.account) await accountOf(target)
      const { signingKey } = await repositoryOf(target)
      const { sig } = (await archiveOf(target)).commit
      expect(sig instanceof Uint8Array && sig.length === 64, 'the signature has not 64 bytes')
      const s = BigInt(`0x${Buffer.from(sig.subarray(32)).toString('hex')}`)
      expect(s <= halfOrders[algorithmOf(signingKey as DidKey)], 'S is the higher one')
    },
  ),
]

export const vectors: readonly Requirement[] = [...names, ...data, ...signatures]
