/** The data folder of the oldest version that is opened: see `test/fixtures/5109103/README.md`. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../fixtures/5109103')

/** What was made. */
export const earlier: {
  /** ISO 8601: its tokens are valid then. */
  readonly at: string
  readonly alice: {
    readonly did: string
    /** The one that `refreshJwt` replaced. */
    readonly oldRefreshJwt: string
    readonly refreshJwt: string
    readonly appPassword: string
    /** Confirms the email address. */
    readonly emailCode: string
  }
  readonly bob: { readonly did: string }
  /** A session of alice's app password. */
  readonly phone: { readonly refreshJwt: string }
  readonly image: { readonly cid: string; readonly base64: string }
} = JSON.parse(readFileSync(join(folder, 'made.json'), 'utf8'))

/** Writes the data folder into an existing directory. */
export function writeEarlierData(directory: string): void {
  execFileSync('tar', ['-xzf', join(folder, 'data.tar.gz'), '-C', directory])
}
