/** The codes in the messages that a mail server has received. */
import { setTimeout } from 'node:timers/promises'
import type { ReceivedMessage } from '../support/services/smtp-server.ts'

/** Returns the newest code to an address that was not returned before; undefined if none arrives within some seconds. */
export type ReadCode = (email: string) => Promise<string | undefined>

const form = /\b[A-Z2-7]{5}-[A-Z2-7]{5}\b/i

export function codesIn(messages: readonly ReceivedMessage[]): ReadCode {
  const read = new Set<ReceivedMessage>()
  return async (email) => {
    for (let attempt = 0; attempt < 50; attempt++) {
      const isFor = (message: ReceivedMessage) =>
        message.to.includes(`<${email}>`) && form.test(message.data) && !read.has(message)
      const found = messages.findLast(isFor)
      if (found) read.add(found)
      if (found) return form.exec(found.data)?.[0]
      await setTimeout(100)
    }
    return undefined
  }
}
