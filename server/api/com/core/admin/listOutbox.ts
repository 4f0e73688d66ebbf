import type { DatetimeString } from '@atproto/lex-schema'
import { com } from '../../../../../lexicons/generated/index.ts'
import { requireThisComputer } from '../../../../identity/callers/foreign-page.ts'
import type { Config } from '../../../../platform/config/config.ts'
import { type OutboxMessage, readOutbox } from '../../../../platform/mail/outbox.ts'
import { findByDid } from '../../../../store/tables/accounts.ts'
import { method } from '../../../method.ts'

const maxMessages = 200
/** Messages that are read for a list, with those that it leaves out: the interface asks for it every few seconds. */
const maxRead = 1000

export const listOutbox = method(com.core.admin.listOutbox, {
  auth: 'admin',
  async handler({ auth, caller, config, files, store, fail }) {
    requireThisComputer({ caller, fail })
    const own = auth.did === undefined ? undefined : findByDid(store, auth.did)?.email
    const messages: OutboxMessage[] = []
    let read = 0
    for await (const message of readOutbox(config.dataDir, files)) {
      if (message.to !== own || !isForOwner(message, config)) messages.push(message)
      if (messages.length === maxMessages || ++read === maxRead) break
    }
    return {
      messages: messages.map(({ purpose: _, at, ...message }) => ({ ...message, at: at as DatetimeString })),
    }
  },
})

/**
 * Whether the owner alone may read it: its code is more than a session, which may be stolen. With a mail server, this is so for the
 * code that confirms an address, too: the holder of an address that mail never reached would need mailed codes from then on.
 */
function isForOwner({ code, purpose }: OutboxMessage, { smtpUrl }: Pick<Config, 'smtpUrl'>): boolean {
  return code !== undefined && (purpose !== 'confirmEmail' || smtpUrl !== undefined)
}
