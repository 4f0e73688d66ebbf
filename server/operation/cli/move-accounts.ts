/** Moves accounts one after the other, prints the progress, and returns a summary with the number of failures. */
import { pause } from '../../util/deadlines.ts'
import { isObject, isString } from '../../util/json.ts'
import type { AdminClient } from './admin-client.ts'
import type { PasswordFile } from './password-file.ts'

export interface MoveAccountsOptions {
  readonly client: AdminClient
  /** Address of the new server. */
  readonly server: string
  readonly inviteCode: string | undefined
  /** Whether accounts move without the files that cannot be copied. */
  readonly withoutMissingMedia: boolean
  readonly passwords: PasswordFile
  readonly print: (line: string) => void
  /** Milliseconds between two looks at a move; tests use few. */
  readonly pollMs?: number
}

interface ListedAccount {
  readonly did: string
  readonly handle: string
  readonly active: boolean
}

type Outcome = 'moved' | 'skipped' | 'failed'

/** A step that failed is repeated so often; later runs of the command try again. */
const maxAttempts = 3

export async function moveAccounts(options: MoveAccountsOptions): Promise<{ text: string; failed: number }> {
  const { client, passwords, print } = options
  const counts: Record<Outcome, number> = { moved: 0, skipped: 0, failed: 0 }
  for await (const account of accountsOf(client)) {
    const outcome = await moveAccount(options, account).catch((error: Error) => {
      print(`${account.handle}: failed. ${error.message}`)
      return 'failed' as const
    })
    counts[outcome] += 1
  }
  const summary = `${counts.moved} moved, ${counts.skipped} skipped, ${counts.failed} failed.`
  const advice = counts.failed > 0 ? ' Run the command again to continue.' : ''
  const text = `${summary}${advice}\nThe passwords are in ${passwords.path}.`
  return { text, failed: counts.failed }
}

async function* accountsOf(client: AdminClient): AsyncIterable<ListedAccount> {
  for (let cursor: string | undefined; ; ) {
    const page = await client.get('com.core.admin.listAccounts', cursor === undefined ? {} : { cursor })
    yield* page.accounts as ListedAccount[]
    if (!isString(page.cursor)) return
    cursor = page.cursor
  }
}

async function moveAccount(options: MoveAccountsOptions, account: ListedAccount): Promise<Outcome> {
  const { client, server, inviteCode, passwords, print, pollMs = 1000 } = options
  const { did, handle } = account
  const known = await moveOf(client, did)
  if (known?.direction === 'out' && known.endedAt !== undefined) {
    print(`${handle}: has moved to ${known.server} as ${known.handle}`)
    return 'skipped'
  }
  if (!account.active) {
    print(`${handle}: is not active, skipped`)
    return 'skipped'
  }
  const password = await passwords.passwordOf(account)
  const start = (consent = {}) =>
    client.post('com.core.admin.moveAccount', { did, server, password, inviteCode, ...consent })
  for (let move: Move = await start(), attempt = 1, last = ''; ; ) {
    const line = progressOf(move)
    if (line !== last) print(`${handle}: ${line}`)
    last = line
    if (move.endedAt !== undefined) return 'moved'
    if (move.need === 'media') {
      for (const file of missingLines(move)) print(`${handle}:   ${file}`)
      if (!options.withoutMissingMedia) return 'failed'
      move = await start({ withoutMissingMedia: true })
      continue
    }
    if (move.need !== undefined || (move.error !== undefined && attempt === maxAttempts)) return 'failed'
    await pause(pollMs)
    if (move.error !== undefined) attempt += 1
    move = move.error === undefined ? ((await moveOf(client, did)) ?? move) : await start()
  }
}

type Move = Record<string, unknown>

async function moveOf(client: AdminClient, did: string): Promise<Move | undefined> {
  const { move } = await client.get('com.core.admin.getMove', { did })
  return isObject(move) ? move : undefined
}

const stepTexts: Record<string, string> = {
  repository: 'copying records',
  media: 'copying files',
  preferences: 'copying preferences',
  identity: 'changing the identity',
  activation: 'activating the account there',
  deactivation: 'deactivating the account here',
  done: 'done',
}

const needTexts: Record<string, string> = {
  document: 'needs its owner, who must change the document of the did:web in the app',
  code: 'needs the code that was mailed to its owner, who must enter it in the app',
  signIn: 'needs to sign in at the new server again',
  copy: 'was written to during each copy. Run the command again',
}

/** One line per file that cannot be copied, with the record that refers to it. */
function missingLines({ missingMedia, blobsMissing }: Move): string[] {
  const files = Array.isArray(missingMedia) ? missingMedia.filter(isObject) : []
  const more = Number(blobsMissing) - files.length
  const lines = files.map(
    ({ cid, reason, record = 'no record' }) => `${cid} in ${record}: ${reasonTexts[String(reason)]}`,
  )
  return more > 0 ? [...lines, `and ${more} more`] : lines
}

const reasonTexts: Record<string, string> = {
  notFound: 'this server does not have it',
  tooLarge: 'too large for the new server',
  takenDown: 'its administrator has taken it down',
  wrongBytes: 'it is damaged here',
}

function progressOf({ step, need, error, handle, blobsCopied, blobsExpected, blobsMissing }: Move): string {
  if (need === 'media') {
    const files = blobsMissing === 1 ? '1 file' : `${blobsMissing} files`
    return `${files} cannot be copied. --without-missing-media moves the account anyway:`
  }
  if (isString(need)) return needTexts[need] ?? need
  const files = step === 'media' && blobsExpected !== undefined ? ` (${blobsCopied} of ${blobsExpected})` : ''
  const missing = step === 'done' && blobsMissing !== 0 ? `, ${blobsMissing} files are missing` : ''
  const name = step === 'done' ? ` as ${handle}` : ''
  const failure = isString(error) ? `. ${error}` : ''
  return `${stepTexts[String(step)] ?? step}${name}${files}${missing}${failure}`
}
