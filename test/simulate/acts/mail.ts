/** Codes by mail: they are requested, read in the outbox, and used: for their purpose or another one, once or again, in time or late. */

import type { Random } from '../../support/replicas/random.ts'
import {
  addressOf,
  closeCodes,
  codeWorks,
  countWrong,
  type MailCode,
  type Purpose,
  purposes,
} from '../model/mail.ts'
import type { Person } from '../model/person.ts'
import { type Span, timed } from '../model/time-span.ts'
import { senderOf } from '../world/push-service.ts'
import type { Answer, World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { holders } from './choose.ts'
import { deleted } from './deletion.ts'
import { callAs, passwordChanged } from './passwords.ts'
import { isLost } from './sessions.ts'

/** Codes that a person keeps at most. */
const most = 5

const requests: Readonly<Record<Purpose, string>> = {
  resetPassword: 'requestPasswordReset',
  confirmEmail: 'requestEmailConfirmation',
  updateEmail: 'requestEmailUpdate',
  deleteAccount: 'requestAccountDelete',
}

export const requestCode: Act = {
  weight: 1,
  async run(world, random) {
    const person = holders(world, random)
    if (!person) return undefined
    const words: (string | undefined)[] = []
    for (let left = 1 + random.below(3); left > 0; left--)
      words.push(await request(world, person, random.pick(purposes)))
    return words.includes(undefined) ? undefined : words.join('; ')
  },
}

/** Undefined if the address is not known. */
async function request(world: World, person: Person, purpose: Purpose): Promise<string | undefined> {
  const email = addressOf(person)
  if (email === undefined || !person.machine.isRunning) return undefined
  const { machine, name } = person
  const before = machine.codeTo(email, purpose)
  const sender = senderOf(machine)
  const isSound = !machine.disk.hasFault
  const nsid = `com.atproto.server.${requests[purpose]}`
  const isReset = purpose === 'resetPassword'
  const { status, at } = await timed(machine, async () => {
    const answer = isReset
      ? await world.call(machine, nsid, { input: { email } })
      : await callAs(world, person, nsid)
    // A password reset is mailed in the background.
    await world.time.settle()
    return answer
  })
  const text = machine.isRunning ? machine.codeTo(email, purpose) : undefined
  const words = `${machine.name}: ${name} asks for a code, ${purpose} → ${status}`
  const isMailed = text !== undefined && text !== before
  const isSure = isSound && machine.isRunning && senderOf(machine) === sender && status === 200
  if (isSure && !isMailed && purpose === 'deleteAccount') throw new Violation(`${words}, none is mailed`)
  if (!isMailed) return `${words}, none is mailed`
  const { kept, sent } = machine.copiesOf(text)
  if (kept + sent > 1) throw new Violation(`${words}: it is kept ${kept} times, and sent ${sent} times`)
  const isOpen = status === 200 ? 'yes' : 'maybe'
  person.mailed = [...person.mailed, { purpose, text, mailed: at, isOpen, wrong: 0 } as const].slice(-most)
  return `${words}, ${text}`
}

interface Use {
  readonly input: (person: Person, token: string, value: string) => object
  /** Changes the model after a success. @param how `maybe` if the answer was lost */
  readonly note: (person: Person, value: string, how: 'no' | 'maybe') => void
}

const uses: Readonly<Record<Exclude<Purpose, 'deleteAccount'>, Use>> = {
  resetPassword: {
    input: (_, token, value) => ({ token, password: `password ${value}` }),
    note: (person, value, how) => passwordChanged(person, { password: `password ${value}`, how }),
  },
  confirmEmail: {
    input: (person, token) => ({ token, email: addressOf(person) }),
    note: (person, _, how) => {
      const confirmed = person.mailboxes.map((one) => ({ ...one, isConfirmed: true }))
      person.mailboxes = how === 'no' ? confirmed : [...person.mailboxes, ...confirmed]
    },
  },
  updateEmail: {
    input: (_, token, value) => ({ token, email: `${value}@mail.test` }),
    note: (person, value, how) => {
      const next = { address: `${value}@mail.test`, isConfirmed: false }
      person.mailboxes = how === 'no' ? [next] : [...person.mailboxes, next]
      // They were mailed to the earlier address.
      closeCodes(person, how)
    },
  },
}

export const enterCode: Act = {
  weight: 1,
  async run(world, random) {
    const person = holders(world, random)
    if (!person || person.mailed.length === 0 || addressOf(person) === undefined) return undefined
    const code = random.pick(person.mailed)
    const purpose = random.chance(0.7) ? code.purpose : random.pick(purposes)
    const { machine, name } = person
    const words = `${machine.name}: ${name} uses the code ${code.text} for ${code.purpose} as ${purpose}`
    if (purpose !== 'deleteAccount')
      return `${words} → ${await spend(world, person, code, purpose)}${await spendNext(world, random, person)}`
    // Most accounts are to stay.
    const isKept = codeWorks(code, purpose, spanOf(person)) !== 'no' && random.chance(0.8)
    if (person.passwords.length > 1 || isKept) return undefined
    return `${words} ${await spendForDeletion(world, person, code)}`
  },
}

/** Now and then, the same code or another one is used as well. */
async function spendNext(world: World, random: Random, person: Person): Promise<string> {
  const next = random.chance(0.6) ? random.pick(person.mailed) : undefined
  const isPossible = person.machine.isRunning && addressOf(person) !== undefined
  if (!next || !isPossible || next.purpose === 'deleteAccount') return ''
  return `, then ${next.text} for ${next.purpose} → ${await spend(world, person, next, next.purpose)}`
}

async function spend(
  world: World,
  person: Person,
  code: MailCode,
  purpose: Exclude<Purpose, 'deleteAccount'>,
): Promise<string> {
  const { machine } = person
  const value = `${person.name}-${world.counter++}`
  const { input, note } = uses[purpose]
  const nsid = `com.atproto.server.${purpose}`
  const isReset = purpose === 'resetPassword'
  const sent = input(person, code.text, value)
  const answer = await timed(machine, () =>
    isReset ? world.call(machine, nsid, { input: sent }) : callAs(world, person, nsid, sent),
  )
  const { status, body, at } = answer
  if (!isLost(answer)) judge(person, code, purpose, answer)
  else if (codeWorks(code, purpose, at) === 'no') countWrong(person, purpose)
  if (status === 200 || (isLost(answer) && codeWorks(code, purpose, at) !== 'no')) {
    const how = status === 200 ? 'no' : 'maybe'
    closeCodes(person, how, purpose)
    note(person, value, how)
  }
  return `${status} ${body?.error ?? ''}`
}

async function spendForDeletion(world: World, person: Person, code: MailCode): Promise<string> {
  const { did, machine, passwords } = person
  const input = { did, password: passwords[0], token: code.text }
  const answer = await timed(machine, () => callAs(world, person, 'com.atproto.server.deleteAccount', input))
  if (!isLost(answer)) judge(person, code, 'deleteAccount', answer)
  else if (codeWorks(code, 'deleteAccount', answer.at) === 'no') countWrong(person, 'deleteAccount')
  else closeCodes(person, 'maybe', 'deleteAccount')
  const mayBeDeleted = answer.status === 200 || codeWorks(code, 'deleteAccount', answer.at) !== 'no'
  if (!mayBeDeleted || answer.status === 400) return `→ ${answer.status} ${answer.body?.error ?? ''}`
  return deleted(world, person, answer)
}

/** Compares an answer with what must be true of a code. A wrong one counts. @throws Violation */
function judge(
  person: Person,
  code: MailCode,
  purpose: Purpose,
  { status, body, at }: Answer & { readonly at: Span },
): void {
  const expected = codeWorks(code, purpose, at)
  const words = `${person.name}: a code for ${code.purpose} as ${purpose} → ${status} ${body?.error ?? ''}`
  const isRefused = status === 400 && (body?.error === 'InvalidToken' || body?.error === 'ExpiredToken')
  if (status !== 200 && !isRefused) throw new Violation(`${words} ${body?.message}`)
  // An access token may have expired instead.
  const isSession = body?.message === 'Token has expired'
  if (!isSession && expected === (isRefused ? 'yes' : 'no'))
    throw new Violation(`${words}: works is ${expected}`)
  if (isRefused && body.error === 'InvalidToken') countWrong(person, purpose)
}

function spanOf({ machine }: Person): Span {
  const now = machine.now().getTime()
  return { from: now, to: now, skewMs: machine.skewMs, isDoubtful: machine.wasSet }
}
