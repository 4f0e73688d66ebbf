/** The servers of the scenarios, started once. */
import { type ReceivedMessage, startSmtpServer } from '../support/services/smtp-server.ts'
import { installReference } from './install.ts'
import type { ReadCode } from './migration.ts'
import { poll } from './poll.ts'
import { directory, ownServer, type Program, referenceServer } from './processes.ts'

export interface World {
  /** Where the reference programs are installed. */
  readonly reference: string
  readonly directory: Program
  readonly theirs: Program
  /** A second reference server, with keys of its own. */
  readonly others: Program
  readonly ours: Program
  /** Starts another server of ours. @param settings that differ */
  newServer(settings?: Record<string, string>): Promise<Program>
  /** Starts another reference server. @param settings that differ */
  newReference(settings: Record<string, string>): Promise<Program>
  readonly readCode: ReadCode
  close(): Promise<void>
}

export async function openWorld(): Promise<World> {
  const reference = await installReference()
  const smtp = await startSmtpServer()
  const plc = await directory(reference)
  const theirs = await referenceServer(reference, plc.url, smtp.url, '11'.repeat(32))
  const others = await referenceServer(reference, plc.url, smtp.url, '22'.repeat(32))
  const ours = await ownServer(plc.url, smtp.url)

  const code = /\b[A-Z2-7]{5}-[A-Z2-7]{5}\b/i
  // Each message is read once.
  let read = 0
  return {
    reference,
    directory: plc,
    theirs,
    others,
    ours,
    newServer: (settings) => ownServer(plc.url, smtp.url, settings),
    newReference: (settings) => referenceServer(reference, plc.url, smtp.url, '33'.repeat(32), settings),
    readCode(address) {
      const isFor = ({ to, data }: ReceivedMessage, at: number) =>
        at >= read && to.includes(`<${address}>`) && code.test(data)
      const next = () => {
        const index = smtp.messages.findIndex(isFor)
        const found = code.exec(smtp.messages[index]?.data ?? '')
        if (found) read = index + 1
        return found?.[0]
      }
      return poll(next, () => `no code was mailed to ${address}`)
    },
    async close() {
      for (const program of [ours, theirs, others, plc]) await program.remove()
      await smtp.close()
    },
  }
}
