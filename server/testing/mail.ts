/** The messages that the servers of a network for tests would have sent. */
import type { OutboxMessage } from '../platform/mail/outbox.ts'
import type { Accounts } from './accounts.ts'
import type { Host } from './host.ts'
import { messagesOf } from './messages.ts'

export type NetworkMessage = OutboxMessage

export interface NetworkMail {
  /** All messages, newest first; those to the address of an account with a handle. */
  messages(handle?: string): Promise<NetworkMessage[]>
  /** The code in the newest message to an account that has one. @throws if it got none */
  code(handle: string): Promise<string>
}

export function createMail(hosts: () => readonly Host[], accounts: Pick<Accounts, 'addressOf'>): NetworkMail {
  async function messages(handle?: string): Promise<NetworkMessage[]> {
    const to = handle === undefined ? undefined : accounts.addressOf(handle)
    const lists = await Promise.all(hosts().map((host) => (host.isRunning ? messagesOf(host) : [])))
    const all = lists.flat().toSorted((one, other) => (one.id < other.id ? 1 : -1))
    return to === undefined ? all : all.filter((message) => message.to === to)
  }
  return {
    messages,
    async code(handle) {
      const found = (await messages(handle)).find(({ code }) => code !== undefined)
      if (found?.code === undefined) throw new Error(`No code was sent to ${handle}.`)
      return found.code
    },
  }
}
