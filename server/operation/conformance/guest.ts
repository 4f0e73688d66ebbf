/** Accounts that the measurement creates, on a server for tests alone: their identities stay in its directory. */
import { randomGroups } from '../../util/random.ts'
import type { Account } from './account.ts'
import { expectStatus, outputOf } from './answers.ts'
import { adminOf } from './areas/lexicon.ts'
import type { Answer } from './http.ts'
import { isPublicDirectory, shared, type Target } from './target.ts'
import { expect, Skipped } from './verdict.ts'

export interface Guest extends Account {
  readonly email: string
  readonly password: string
}

export interface GuestInput {
  readonly handle: string
  readonly email: string
  readonly password: string
  readonly inviteCode?: string
}

/** @throws Skipped unless the command may create accounts */
export function requireCreation(target: Target): void {
  if (!target.creates) throw new Skipped('it needs accounts of its own: --create')
  if (isPublicDirectory(target.plcUrl)) throw new Skipped('it needs a directory for tests: --plc')
  adminOf(target)
}

const descriptionOf = shared(async (target: Target) =>
  outputOf(await target.call('com.atproto.server.describeServer')),
)

/** The input of a sign-up, with an invite code if the server requires one. */
export async function guestInput(target: Target): Promise<GuestInput> {
  requireCreation(target)
  const { availableUserDomains: domains, inviteCodeRequired } = await descriptionOf(target)
  const [domain] = Array.isArray(domains) ? domains : []
  expect(typeof domain === 'string', 'availableUserDomains has no domain')
  const name = `check-${randomGroups(1, 8)}`
  const who = { handle: name + domain, email: `${name}@example.com`, password: randomGroups(4, 8) }
  if (!inviteCodeRequired) return who
  const ask = { input: { useCount: 1 }, ...adminOf(target) }
  const { code: inviteCode } = outputOf(await target.call('com.atproto.server.createInviteCode', ask))
  // A sign-up that is refused leaves the code unused.
  const disabling = { input: { codes: [inviteCode] }, ...adminOf(target) }
  target.defer(() => target.call('com.atproto.admin.disableInviteCodes', disabling))
  return { ...who, inviteCode }
}

/** Asks for an account. One that the server creates is deleted at the end, also if it should have refused it. */
export async function createAccount(target: Target, input: object, ask = {}): Promise<Answer> {
  const created = await target.call('com.atproto.server.createAccount', { input, ...ask })
  const did: unknown = created.status === 200 ? created.json?.did : undefined
  if (typeof did === 'string')
    target.defer(async () => {
      const deletion = { input: { did }, ...adminOf(target) }
      const answer = await target.call('com.atproto.admin.deleteAccount', deletion)
      // It may have been deleted by its holder.
      if (answer.status !== 400 && answer.status !== 404) expectStatus(answer, 200)
    })
  return created
}

/** Creates an account. */
export async function newGuest(target: Target, more: object = {}, ask = {}): Promise<Guest> {
  const input = await guestInput(target)
  const session = outputOf(await createAccount(target, { ...input, ...more }, ask))
  const { accessJwt } = session
  const { email, password } = input
  return { ...session, email, password, call: (nsid, own) => target.call(nsid, { ...own, token: accessJwt }) }
}

/** Returns a function that reads the newest code to an address. @throws Skipped */
export function requireMailbox({ readCode }: Target) {
  if (!readCode) throw new Skipped('it needs the mailbox of the server: --dev')
  return readCode
}

/** Returns the code that was mailed to an account last. @throws Skipped, Failed */
export async function codeOf(target: Target, { email }: Pick<Guest, 'email'>): Promise<string> {
  const code = await requireMailbox(target)(email)
  expect(code, `no code was mailed to ${email}`)
  return code
}
