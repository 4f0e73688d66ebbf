/** The page's calls on messages that no mail server has sent. */

import { isEmailAddress } from '../../server/platform/mail/address.ts'
import { createMailer } from '../../server/platform/mail/mailer.ts'
import { deleteMessage, listOutbox, restoreMessage } from '../../server/platform/mail/outbox.ts'
import { mailFor } from '../../server/platform/mail/templates.ts'
import type { Logger } from '../../server/util/log.ts'
import { args, text } from '../ground/arguments.ts'
import type { Bus } from '../ground/bus.ts'
import { type CallsOf, call, outcome } from '../ground/calls.ts'
import type { EmbeddedServer } from './server.ts'

/** As many as a server lists. */
const maxListed = 200

export interface OutboxDeps {
  readonly dataDir: string
  readonly server: EmbeddedServer
  readonly bus: Bus
  readonly log: Logger
}

export function outboxCalls({ dataDir, server, bus, log }: OutboxDeps): CallsOf<'outbox'> {
  const now = () => new Date()
  const reporting = async <T>(work: Promise<T>): Promise<T> => {
    const result = await work
    bus.emit('outbox')
    return result
  }
  return {
    'outbox.list': call(args(), () => listOutbox(dataDir, undefined, maxListed)),
    'outbox.delete': call(args(text(200)), (id) => reporting(deleteMessage(dataDir, id))),
    'outbox.restore': call(args(text(200)), (id) => reporting(restoreMessage(dataDir, id))),
    'outbox.test': outcome(args(text(500)), (to) => {
      if (!isEmailAddress(to)) throw new Error('This is not an email address.')
      const mailer = createMailer({ smtpUrl: undefined, from: 'no-reply@localhost', dataDir, now, log })
      const code = 'TESTS-TESTS'
      const content = mailFor('confirmEmail', { handle: 'you.test', server: server.endpoint, code })
      return reporting(mailer.send({ to, ...content }))
    }),
  }
}
