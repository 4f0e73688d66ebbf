/** What handlers are given beside their call: every long-lived part of the server. */
import type { DidString } from '@atproto/syntax'
import type { PlcPublisher } from './accounts/plc.ts'
import type { LastUsed } from './auth/last-used.ts'
import type { PasswordHasher } from './auth/passwords.ts'
import type { Tokens } from './auth/tokens.ts'
import type { Config } from './config/config.ts'
import type { ResolveDid } from './identity/resolver.ts'
import type { Secrets } from './identity/secrets.ts'
import type { Background } from './jobs/background.ts'
import type { Mailer } from './mail/mailer.ts'
import type { NotificationEvents } from './notifications/events.ts'
import type { LiveNotifications } from './notifications/live.ts'
import type { Repositories } from './records/repositories.ts'
import type { Database } from './store/database.ts'
import type { Logger } from './util/log.ts'

export interface Services {
  readonly config: Config
  readonly store: Database
  readonly secrets: Secrets
  readonly tokens: Tokens
  readonly lastUsed: LastUsed
  readonly passwords: PasswordHasher
  readonly mailer: Mailer
  readonly resolveDid: ResolveDid
  readonly plc: PlcPublisher
  readonly repositories: Repositories
  readonly notifications: NotificationEvents
  readonly live: LiveNotifications
  readonly background: Background
  readonly log: Logger
  /** Where clients reach this server, without a trailing slash; named in DID documents. */
  readonly origin: string
  /** did:web of the origin's host. */
  readonly serverDid: DidString
  readonly now: () => Date
}
