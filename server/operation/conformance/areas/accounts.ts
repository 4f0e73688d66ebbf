/** Accounts from their creation to their deletion, and the codes that are mailed to their holders. */
import { randomGroups } from '../../../util/random.ts'
import { signIn } from '../account.ts'
import { expectError, expectStatus, outputOf } from '../answers.ts'
import type { Message } from '../events.ts'
import {
  codeOf,
  createAccount,
  type Guest,
  guestInput,
  newGuest,
  requireCreation,
  requireMailbox,
} from '../guest.ts'
import type { Answer } from '../http.ts'
import { must, type Requirement, should } from '../requirement.ts'
import { lexicon, reference, spec } from '../sources.ts'
import { shared, type Target } from '../target.ts'
import { expect, expectSame } from '../verdict.ts'
import { withEvents } from './stream.ts'

const server = (method: string) => lexicon(`com.atproto.server.${method}`)
const states = spec('account', 'Account Status')
const wrongCode = 'AAAAA-AAAAA'

/** Runs a change, and waits for an event of the account that it sends. */
async function expectEvent(
  target: Target,
  { did }: Guest,
  change: () => Promise<Answer>,
  isRight: (message: Message) => boolean,
  what: string,
): Promise<void> {
  await withEvents(target, '', async (events) => {
    const found = () =>
      events.messages.some((message) => (message.body.did ?? message.body.repo) === did && isRight(message))
    expectStatus(await change(), 200)
    await events.until(found)
    expect(found(), `${what} was not sent`)
  })
}

const creation: readonly Requirement[] = [
  must(
    'account.create',
    'createAccount answers tokens, handle and DID',
    server('createAccount'),
    async (target) => {
      const { did, handle, email, password, accessJwt } = await newGuest(target)
      expect(/^did:(?:plc|web):/.test(did), `did is ${did}`)
      expect(accessJwt !== '' && handle.includes('.'), `handle is ${handle}`)
      expectSame((await signIn(target, { identifier: email, password })).did, did, 'did')
    },
  ),
  must(
    'account.create.taken',
    'A handle of another account is refused',
    server('createAccount'),
    async (target) => {
      const { handle } = await newGuest(target)
      const input = await guestInput(target)
      expectError(
        await createAccount(target, { ...input, handle }),
        [400],
        ['HandleNotAvailable', 'InvalidRequest'],
      )
    },
  ),
  must(
    'account.create.domain',
    'A handle of another domain is refused',
    server('createAccount'),
    async (target) => {
      const input = await guestInput(target)
      expectError(
        await createAccount(target, { ...input, handle: `${randomGroups(1, 8)}.example.com` }),
        [400],
      )
    },
  ),
  must('account.create.handle', 'An invalid handle is refused', server('createAccount'), async (target) => {
    const input = await guestInput(target)
    expectError(await createAccount(target, { ...input, handle: 'not_a_handle' }), [400])
  }),
]

const changes: readonly Requirement[] = [
  must(
    'account.deactivate',
    'A deactivated account is reported, and its repository is not served',
    states,
    async (target) => {
      const guest = await newGuest(target)
      const deactivate = () => guest.call('com.atproto.server.deactivateAccount', { input: {} })
      const isRight = ({ type, body }: Message) =>
        type === '#account' && body.active === false && body.status === 'deactivated'
      await expectEvent(target, guest, deactivate, isRight, '#account with the status deactivated')
      const query = { did: guest.did }
      const status = outputOf(await target.call('com.atproto.sync.getRepoStatus', { query }))
      expectSame([status.active, status.status], [false, 'deactivated'], 'active and status')
      expectError(
        await target.call('com.atproto.sync.getRepo', { query }),
        [400, 403, 404],
        ['RepoDeactivated'],
      )
    },
  ),
  must('account.activate', 'An account that is activated again is reported', states, async (target) => {
    const guest = await newGuest(target)
    expectStatus(await guest.call('com.atproto.server.deactivateAccount', { input: {} }), 200)
    const activate = () => guest.call('com.atproto.server.activateAccount', { method: 'POST' })
    const isRight = ({ type, body }: Message) => type === '#account' && body.active === true
    await expectEvent(target, guest, activate, isRight, '#account with active')
    expectStatus(await target.call('com.atproto.sync.getRepo', { query: { did: guest.did } }), 200)
  }),
]

/** An account whose mail can be read. @throws Skipped */
async function mailed(target: Target): Promise<Guest> {
  requireCreation(target)
  requireMailbox(target)
  return newGuest(target)
}

/** An account whose address is confirmed. */
const confirmedOf = shared(async (target: Target) => {
  const guest = await mailed(target)
  expectStatus(await guest.call('com.atproto.server.requestEmailConfirmation', { method: 'POST' }), 200)
  const token = await codeOf(target, guest)
  const confirm = (code: string) =>
    guest.call('com.atproto.server.confirmEmail', { input: { email: guest.email, token: code } })
  const wrong = await confirm(wrongCode)
  expectStatus(await confirm(token), 200)
  return { guest, wrong }
})

const mail: readonly Requirement[] = [
  must(
    'account.mail.confirm',
    'A mailed code confirms the address',
    server('confirmEmail'),
    async (target) => {
      const { guest } = await confirmedOf(target)
      const { emailConfirmed } = outputOf(await guest.call('com.atproto.server.getSession'))
      expectSame(emailConfirmed, true, 'emailConfirmed')
    },
  ),
  must('account.mail.wrong', 'A wrong code is InvalidToken', server('confirmEmail'), async (target) => {
    expectError((await confirmedOf(target)).wrong, [400], ['InvalidToken'])
  }),
  must(
    'account.mail.reset',
    'A mailed code sets a new password, once, and the old one signs in no longer',
    server('resetPassword'),
    async (target) => {
      const { did, email, ...guest } = await mailed(target)
      expectStatus(await target.call('com.atproto.server.requestPasswordReset', { input: { email } }), 200)
      const token = await codeOf(target, { email })
      const password = randomGroups(4, 8)
      const reset = () => target.call('com.atproto.server.resetPassword', { input: { token, password } })
      expectStatus(await reset(), 200)
      expectSame((await signIn(target, { identifier: did, password })).did, did, 'did')
      const input = { identifier: did, password: guest.password }
      expectError(await target.call('com.atproto.server.createSession', { input }), [401])
      expectError(await reset(), [400], ['InvalidToken', 'ExpiredToken'])
    },
  ),
  should(
    'account.mail.update',
    'A confirmed address changes by a mailed code alone',
    reference('com.atproto.server.updateEmail'),
    async (target) => {
      const { guest } = await confirmedOf(target)
      const asked = outputOf(await guest.call('com.atproto.server.requestEmailUpdate', { method: 'POST' }))
      expectSame(asked.tokenRequired, true, 'tokenRequired')
      const email = `new-${guest.email}`
      const update = (token?: string) =>
        guest.call('com.atproto.server.updateEmail', { input: { email, token } })
      expectError(await update(), [400], ['TokenRequired'])
      expectError(await update(wrongCode), [400], ['InvalidToken'])
      expectStatus(await update(await codeOf(target, guest)), 200)
      expectSame(outputOf(await guest.call('com.atproto.server.getSession')).email, email, 'email')
    },
  ),
  must(
    'account.mail.delete',
    'The password and a mailed code delete the account, which is reported',
    server('deleteAccount'),
    async (target) => {
      const guest = await mailed(target)
      const { did, password } = guest
      expectStatus(await guest.call('com.atproto.server.requestAccountDelete', { method: 'POST' }), 200)
      const token = await codeOf(target, guest)
      const remove = (code: string) =>
        guest.call('com.atproto.server.deleteAccount', { input: { did, password, token: code } })
      expectError(await remove(wrongCode), [400], ['InvalidToken'])
      const isRight = ({ type, body }: Message) => type === '#account' && body.status === 'deleted'
      await expectEvent(target, guest, () => remove(token), isRight, '#account with the status deleted')
      const answer = await target.call('com.atproto.sync.getRepo', { query: { did } })
      expectError(answer, [400, 404], ['RepoNotFound'])
    },
  ),
]

export const accounts: readonly Requirement[] = [...creation, ...changes, ...mail]
