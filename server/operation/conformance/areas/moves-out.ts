/** Moves of accounts away from the server, by the standard calls. This measurement plays the server that they move to. */

import { pdsEndpointOf } from '../../../identity/did/did-document.ts'
import type { PlcOperation } from '../../../identity/did/did-plc.ts'
import { directoryUrl } from '../../../identity/did/plc-directory.ts'
import { collection, newRecord } from '../account.ts'
import { expectError, expectStatus, outputOf } from '../answers.ts'
import { codeOf, type Guest, newGuest, requireCreation, requireMailbox } from '../guest.ts'
import type { Answer } from '../http.ts'
import { must, type Requirement, should } from '../requirement.ts'
import { lexicon, reference, spec } from '../sources.ts'
import { publicDirectory, shared, type Target } from '../target.ts'
import { expectSame } from '../verdict.ts'
import { documentOf } from './moves.ts'

const migration = spec('account', 'Account Migration')
const sign = 'com.atproto.identity.signPlcOperation'
const endpoint = 'https://other.example.com'
const services = { atproto_pds: { type: 'AtprotoPersonalDataServer', endpoint } }
const refused = [400, 401, 403]

interface Signed {
  readonly guest: Guest
  readonly operation: PlcOperation
  /** The answers to calls with no code, with another code, and with the used code. */
  readonly without: Answer
  readonly wrong: Answer
  readonly again: Answer
}

/** An account with an operation that names another server, signed by this one. @throws Skipped */
const signedOf = shared(async (target: Target): Promise<Signed> => {
  requireCreation(target)
  requireMailbox(target)
  const guest = await newGuest(target)
  const ask = (token?: string) => guest.call(sign, { input: { token, services } })
  const without = await ask()
  const request = 'com.atproto.identity.requestPlcOperationSignature'
  expectStatus(await guest.call(request, { method: 'POST' }), 200)
  const token = await codeOf(target, guest)
  const wrong = await ask('AAAAA-AAAAA')
  const { operation } = outputOf(await ask(token))
  return { guest, operation, without, wrong, again: await ask(token) }
})

/** The account once its identity names another server. */
const movedOf = shared(async (target: Target) => {
  const { guest, operation } = await signedOf(target)
  const url = directoryUrl(target.plcUrl ?? publicDirectory, guest.did)
  expectStatus(await target.send(url, { input: operation }), 200)
  return guest
})

/** The account once it is deactivated here, and the answer to an activation afterwards. */
const leftOf = shared(async (target: Target) => {
  const guest = await movedOf(target)
  expectStatus(await guest.call('com.atproto.server.deactivateAccount', { input: {} }), 200)
  const input = { repo: guest.did, collection, record: newRecord() }
  const written = await guest.call('com.atproto.repo.createRecord', { input })
  const activated = await guest.call('com.atproto.server.activateAccount', { method: 'POST' })
  if (activated.status === 200) await guest.call('com.atproto.server.deactivateAccount', { input: {} })
  return { guest, written, activated }
})

export const movesOut: readonly Requirement[] = [
  must(
    'move.out.proof',
    'getServiceAuth proves the account to the server that it moves to',
    lexicon('com.atproto.server.getServiceAuth'),
    async (target) => {
      const guest = await newGuest(target)
      const query = { aud: 'did:web:other.example.com', lxm: 'com.atproto.server.createAccount' }
      const { token } = outputOf(await guest.call('com.atproto.server.getServiceAuth', { query }))
      const { iss, aud, lxm } = JSON.parse(
        Buffer.from(String(token).split('.')[1] ?? '', 'base64url').toString() || '{}',
      )
      expectSame({ iss, aud, lxm }, { iss: guest.did, ...query }, 'what the token says')
    },
  ),
  must('move.out.code.absent', 'An operation is not signed without a code', lexicon(sign), async (target) => {
    expectError((await signedOf(target)).without, refused)
  }),
  must('move.out.code.wrong', 'A wrong code signs no operation', lexicon(sign), async (target) => {
    expectError((await signedOf(target)).wrong, refused)
  }),
  should('move.out.code.once', 'A code signs one operation', reference(sign), async (target) => {
    expectError((await signedOf(target)).again, refused)
  }),
  must(
    'move.out.identity',
    'The directory accepts the signed operation, and names the other server',
    migration,
    async (target) => {
      const { did } = await movedOf(target)
      expectSame(pdsEndpointOf(await documentOf(target, did)), endpoint, 'the server')
    },
  ),
  must(
    'move.out.writes',
    'An account that is deactivated after its move writes nothing',
    spec('account', 'Account Status'),
    async (target) => expectError((await leftOf(target)).written, refused),
  ),
  should(
    'move.out.return',
    'An account whose identity names another server does not become active',
    reference('com.atproto.server.activateAccount'),
    async (target) => expectError((await leftOf(target)).activated, refused),
  ),
  must(
    'move.out.deletion',
    'The deletion of an account that has moved leaves its identity at the other server',
    migration,
    async (target) => {
      const { guest } = await leftOf(target)
      const { did, password } = guest
      expectStatus(await guest.call('com.atproto.server.requestAccountDelete', { method: 'POST' }), 200)
      const input = { did, password, token: await codeOf(target, guest) }
      expectStatus(await guest.call('com.atproto.server.deleteAccount', { input }), 200)
      expectSame(pdsEndpointOf(await documentOf(target, did)), endpoint, 'the server')
    },
  ),
]
