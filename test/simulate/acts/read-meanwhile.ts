/** Reads of a record while it is written, and the disk fails: what an answer shows must stay. */
import type { Fault } from '../../support/store/faulty-disk.ts'
import type { Person } from '../model/person.ts'
import type { Answer } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { homes } from './choose.ts'
import { newPost } from './records.ts'
import { inputOf, judge, type Write, wordsOf } from './send-writes.ts'
import { isLost, renew } from './sessions.ts'

const faults: readonly Fault[] = ['fails', 'works but fails', 'torn write', 'lost sync']

/** Turns of the event loop that a write takes. */
const turnsOfWrite = 14

export const readMeanwhile: Act = {
  weight: 1,
  async run(world, random) {
    const author = homes(world, random)
    if (!author) return undefined
    const write = newPost(world)
    const { machine, did: repo } = author
    const { collection, rkey } = write
    const turns = random.below(turnsOfWrite)
    if (random.chance(0.8)) machine.failSoon(random.below(2), random.pick(faults))
    const request = { method: 'createRecord', writes: [write] } as const
    const [answer, read] = await world.callBoth(
      machine,
      [
        ['com.atproto.repo.createRecord', { input: inputOf(author, request), token: author.access }],
        ['com.atproto.repo.getRecord', { query: { repo, collection, rkey } }],
      ],
      turns,
    )
    const words = wordsOf(author, request)
    const reading = `read after ${turns} turns → ${read.status}`
    if (answer.body?.error === 'ExpiredToken') return `${words} → ExpiredToken, ${await renew(world, author)}`
    const judged = judge(world, author, { request, answer, words })
    noteRead(author, write, answer, read)
    return `${judged}, ${reading}`
  },
}

/** A record that was read exists, whatever the answer to its writer. */
function noteRead(author: Person, write: Write, answer: Answer, read: Answer): void {
  if (read.status !== 200) return
  const path = `${write.collection}/${write.rkey}`
  if (answer.status === 200) return
  if (!isLost(answer)) throw new Violation(`${author.name}: ${path} can be read, and its write was refused`)
  const stored = author.history.confirm()
  if (!stored || stored.cid !== read.body.cid)
    throw new Violation(`${author.name}: ${path} is read as ${read.body.cid} instead of ${stored?.cid}`)
  author.records.set(path, stored)
}
