/** Moves of accounts to the server, by the standard calls. This measurement plays the server before. */
import { encode } from '@atproto/lex-cbor'
import {
  type DidDocument,
  parseDidDocument,
  pdsEndpointOf,
  signingKeyOf,
} from '../../../identity/did/did-document.ts'
import { directoryUrl } from '../../../identity/did/plc-directory.ts'
import { cidText } from '../../../util/cid.ts'
import { createSigningKey, isSignedBy } from '../../../util/keys.ts'
import type { Session } from '../account.ts'
import { expectError, expectStatus, outputOf } from '../answers.ts'
import { createAccount, type Guest, guestInput, newGuest } from '../guest.ts'
import { type Baggage, moveOperation, type Newcomer, newNewcomer, packed, proofOfMove } from '../newcomer.ts'
import { fetchCar, treeOf } from '../repository.ts'
import { must, type Requirement, should } from '../requirement.ts'
import { lexicon, spec } from '../sources.ts'
import { publicDirectory, shared, type Target } from '../target.ts'
import { expect, expectSame } from '../verdict.ts'
import { withEvents } from './stream.ts'

const migration = spec('account', 'Account Migration')
const submit = 'com.atproto.identity.submitPlcOperation'
const refused = [400, 401, 403]

interface Arrived {
  readonly newcomer: Newcomer
  readonly guest: Guest & Session
  readonly baggage: Baggage
}

/** An account that has proven its identity, and whose repository is there. */
const arrivedOf = shared(async (target: Target): Promise<Arrived> => {
  const newcomer = await newNewcomer(target)
  const token = await proofOfMove(target, newcomer)
  const guest = await newGuest(target, { did: newcomer.did }, { token })
  const baggage = packed(newcomer)
  const headers = { 'content-type': 'application/vnd.ipld.car' }
  expectStatus(await guest.call('com.atproto.repo.importRepo', { body: baggage.car, headers }), 200)
  return { newcomer, guest, baggage }
})

async function missingOf({ guest }: Arrived): Promise<string[]> {
  const { blobs } = outputOf(await guest.call('com.atproto.repo.listMissingBlobs'))
  return blobs.map(({ cid }: { cid: string }) => cid)
}

/** The account once its file is there, and what was missing before and afterwards. */
const unpackedOf = shared(async (target: Target) => {
  const arrived = await arrivedOf(target)
  const before = await missingOf(arrived)
  const headers = { 'content-type': 'text/plain' }
  const { file } = arrived.baggage
  expectStatus(await arrived.guest.call('com.atproto.repo.uploadBlob', { body: file, headers }), 200)
  return { before, after: await missingOf(arrived) }
})

/** The account once its identity names the server, and it is active; with the events of that. */
const settledOf = shared(async (target: Target) => {
  const { newcomer, guest } = await arrivedOf(target)
  await unpackedOf(target)
  const recommended = outputOf(await guest.call('com.atproto.identity.getRecommendedDidCredentials'))
  const operation = moveOperation(newcomer, recommended)
  expectStatus(await guest.call(submit, { input: { operation } }), 200)
  return withEvents(target, '', async (events) => {
    expectStatus(await guest.call('com.atproto.server.activateAccount', { method: 'POST' }), 200)
    const own = () => events.messages.filter(({ body }) => [body.did, body.repo].includes(guest.did))
    const has = (...types: string[]) => own().some(({ type = '' }) => types.includes(type))
    await events.until(() => has('#account') && has('#sync', '#commit'))
    return { types: own().map(({ type }) => type), has }
  })
})

/** The document of an identity in the directory. @throws Failed */
export async function documentOf(
  { send, plcUrl = publicDirectory }: Target,
  did: string,
): Promise<DidDocument> {
  const answer = await send(directoryUrl(plcUrl, did))
  expectStatus(answer, 200)
  const document = parseDidDocument(answer.json, did)
  expect(document, 'the directory has no document')
  return document
}

/** The document of the account once it has moved here. @throws Failed */
async function movedDocumentOf(target: Target): Promise<DidDocument> {
  const { guest } = await arrivedOf(target)
  await settledOf(target)
  return documentOf(target, guest.did)
}

export const moves: readonly Requirement[] = [
  must(
    'move.in.proof',
    'An identity of another server needs a proof to get an account',
    lexicon('com.atproto.server.createAccount'),
    async (target) => {
      const { did } = await newNewcomer(target)
      expectError(await createAccount(target, { ...(await guestInput(target)), did }), refused)
    },
  ),
  must(
    'move.in.proof.key',
    'A proof by another key than that of the identity is refused',
    migration,
    async (target) => {
      const newcomer = await newNewcomer(target)
      const token = await proofOfMove(target, newcomer, await createSigningKey())
      const input = { ...(await guestInput(target)), did: newcomer.did }
      expectError(await createAccount(target, input, { token }), refused)
    },
  ),
  must(
    'move.in.operation',
    'An operation that names another server is not submitted',
    lexicon(submit),
    async (target) => {
      const { newcomer, guest } = await arrivedOf(target)
      const recommended = outputOf(await guest.call('com.atproto.identity.getRecommendedDidCredentials'))
      const services = {
        atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint: 'https://other.example.com' },
      }
      const operation = moveOperation(newcomer, { ...recommended, services })
      expectError(await guest.call(submit, { input: { operation } }), [400])
    },
  ),
  must('move.in.inactive', 'An account that moves in is inactive at first', migration, async (target) => {
    const newcomer = await newNewcomer(target)
    const token = await proofOfMove(target, newcomer)
    const { did } = newcomer
    const guest = await newGuest(target, { did }, { token })
    expectSame(
      outputOf(await guest.call('com.atproto.server.checkAccountStatus')).activated,
      false,
      'activated',
    )
    const answer = await target.call('com.atproto.sync.getRepoStatus', { query: { did } })
    expectStatus(answer, 200, 400, 404)
    expect(answer.json?.active !== true, 'its repository is active')
  }),
  must('move.in.media', 'listMissingBlobs has the files that are not there', migration, async (target) => {
    const { baggage } = await arrivedOf(target)
    const { before, after } = await unpackedOf(target)
    expectSame(before, [baggage.fileCid], 'what was missing')
    expectSame(after, [], 'what is missing after the upload')
  }),
  must(
    'move.in.identity',
    'The directory names this server and a key after the move',
    migration,
    async (target) => {
      const document = await movedDocumentOf(target)
      expectSame(pdsEndpointOf(document), target.url, 'the server')
      expect(signingKeyOf(document), 'the document has no key')
    },
  ),
  should(
    'move.in.signature',
    'The commit is signed by the key of the directory before the first write',
    spec('repository', 'Commit Objects'),
    async (target) => {
      const key = signingKeyOf(await movedDocumentOf(target)) ?? ''
      const { guest } = await arrivedOf(target)
      const { sig, ...unsigned } = (await fetchCar(target, 'getRepo', { did: guest.did })).commit
      const isSigned = sig instanceof Uint8Array && (await isSignedBy(key, encode(unsigned), sig))
      expect(isSigned, 'the commit is signed by another key')
    },
  ),
  must('move.in.repository', 'An account that moved in has the same tree', migration, async (target) => {
    const { guest, baggage } = await arrivedOf(target)
    await settledOf(target)
    const { commit } = await fetchCar(target, 'getRepo', { did: guest.did })
    expectSame(cidText(treeOf(commit)), baggage.tree, 'the tree')
    const query = { did: guest.did, cid: baggage.fileCid }
    const { bytes } = await target.call('com.atproto.sync.getBlob', { query })
    expect(bytes.equals(baggage.file), 'the file is another one')
  }),
  must('move.in.events', 'An account that moved in is reported', migration, async (target) => {
    const { types, has } = await settledOf(target)
    expect(has('#account') && has('#sync', '#commit'), `the events are ${types.join(', ') || 'none'}`)
  }),
]
