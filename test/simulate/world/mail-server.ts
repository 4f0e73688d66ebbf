/** A mail server (SMTP, RFC 5321): it accepts messages, refuses them, is slow, or breaks off. */
import 'nodemailer'
import type { Duplex } from 'node:stream'
import { mailFor } from '../../../server/platform/mail/templates.ts'
import { setDeadline } from '../../../server/util/deadlines.ts'
import { type Purpose, purposes } from '../model/mail.ts'
import { currentProcess, type Process, type Wire } from './wire.ts'

export const mailMoods = [
  'well',
  'slow',
  'silent',
  'refuses recipients',
  'refuses messages',
  /** It has the message, and its sender does not know. */
  'breaks off after a message',
  'breaks off',
] as const
export type MailMood = (typeof mailMoods)[number]

/** A message with a code that it has. */
export interface Received {
  readonly to: string
  readonly purpose: Purpose | undefined
  readonly code: string
  /** In milliseconds since 1970, by the clock of the world. */
  readonly at: number
  /** Whether it has said so. */
  readonly isAcknowledged: boolean
}

const subjects = new Map(
  purposes.map((purpose) => [mailFor(purpose, { handle: '', server: '', code: '' }).subject, purpose]),
)
const slowMs = 3000

export class MailServer {
  mood: MailMood = 'well'
  readonly received: Received[] = []
  readonly #now: () => Date

  constructor(wire: Wire, now: () => Date) {
    this.#now = now
    const process: Process = { node: 'mail', isDead: false }
    wire.listen('mail.localhost', process, (socket) => {
      currentProcess.run(process, () => this.#converse(socket))
    })
  }

  heal(): void {
    this.mood = 'well'
  }

  #converse(socket: Duplex): void {
    const { mood } = this
    socket.on('error', () => {})
    if (mood === 'breaks off') return void socket.destroy()
    if (mood === 'silent') return
    const reply = (text: string) => socket.write(`${text}\r\n`)
    let to = ''
    let isMessage = false
    let text = ''
    const receive = () => {
      const end = text.indexOf(isMessage ? '\r\n.\r\n' : '\r\n')
      if (end < 0) return
      const part = text.slice(0, end)
      text = text.slice(end + (isMessage ? 5 : 2))
      if (isMessage) this.#end(socket, to, part)
      else if (/^RCPT/i.test(part)) {
        to = /<(.*)>/.exec(part)?.[1] ?? ''
        reply(mood === 'refuses recipients' ? '550 no such mailbox' : '250 ok')
      } else if (/^DATA/i.test(part)) reply('354 go on')
      else if (/^QUIT/i.test(part)) socket.end('221 bye\r\n')
      else reply('250 ok')
      isMessage = !isMessage && /^DATA/i.test(part)
      receive()
    }
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString()
      receive()
    })
    if (mood === 'slow') setDeadline(() => reply('220 mail.localhost'), slowMs)
    else reply('220 mail.localhost')
  }

  #end(socket: Duplex, to: string, message: string): void {
    const { mood } = this
    if (mood === 'refuses messages') return void socket.write('451 try again\r\n')
    const subject = /^Subject: (.*?)\r$/m.exec(message)?.[1] ?? ''
    const code = /^Your code: (\S+)/m.exec(message)?.[1]
    const isAcknowledged = mood !== 'breaks off after a message'
    const at = this.#now().getTime()
    if (code) this.received.push({ to, purpose: subjects.get(subject), code, at, isAcknowledged })
    if (isAcknowledged) socket.write('250 accepted\r\n')
    else socket.destroy()
  }
}
