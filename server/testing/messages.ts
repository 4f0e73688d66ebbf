/** The messages of one server of a network for tests. */
import { listOutbox, type OutboxMessage } from '../platform/mail/outbox.ts'
import type { Host } from './host.ts'

/** Returns the newest code that a server has sent to an address. @throws if it sent none */
export async function codeTo(host: Host, email: string): Promise<string> {
  const found = (await messagesOf(host)).find(({ to, code }) => to === email && code !== undefined)
  if (found?.code === undefined) throw new Error(`no code was mailed to ${email}`)
  return found.code
}

/** Returns the messages of a server that runs, newest first. */
export async function messagesOf(host: Host): Promise<OutboxMessage[]> {
  await host.idle()
  const { config, files } = host.running.services
  return listOutbox(config.dataDir, files)
}
