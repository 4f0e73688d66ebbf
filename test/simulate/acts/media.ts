/** Uploads of pictures. There are few of them, so that accounts share files. */
import { blobCid, newBlobHash } from '../../../server/store/files/blob-files.ts'
import { picture } from '../../support/records/pictures.ts'
import type { Random } from '../../support/replicas/random.ts'
import { filesIn } from '../model/media.ts'
import type { Person } from '../model/person.ts'
import type { World } from '../world/world.ts'
import { type Act, Violation } from './act.ts'
import { homes, homesAt } from './choose.ts'
import { post } from './drafts.ts'
import { keyOf } from './records.ts'
import { send, type Write } from './send-writes.ts'
import { renew } from './sessions.ts'

interface Picture {
  readonly bytes: Buffer
  readonly words: string
}

function newPicture(width: number, shade: number): Picture {
  const bytes = picture(width, 1, () => [shade, 0, 0])
  return { bytes, words: `a picture of ${width} pixels in ${shade}` }
}

/** Uploads a picture. @returns what happened, in words, and the CID if the server has it */
async function uploadOf(
  world: World,
  person: Person,
  { bytes, words: which }: Picture,
): Promise<{ readonly words: string; readonly cid?: string }> {
  const { machine, name, access: token } = person
  const cid = blobCid(newBlobHash().update(bytes))
  const words = `${machine.name}: ${name} uploads ${which}`
  const at = world.time.clock.now().getTime()
  // Also without an answer, the server may have it.
  machine.filesUsedAt.set(cid, at)
  const { status, body } = await world.call(machine, 'com.atproto.repo.uploadBlob', {
    ...{ bytes, type: 'image/png', token },
  })
  if (status === 200) {
    if (body.blob.ref.$link !== cid) throw new Violation(`${words}: it is ${cid}`)
    person.uploads.set(cid, { cid, bytes, ref: body.blob, at, isUnused: true })
    return { words: `${words} → ${cid}`, cid }
  }
  if (body?.error === 'ExpiredToken')
    return { words: `${words} → ExpiredToken, ${await renew(world, person)}` }
  if (status !== 0 && status < 500) throw new Violation(`${words}: ${status} ${JSON.stringify(body)}`)
  return { words: `${words} → ${status}` }
}

const shadeOf = (random: Random) => random.below(4) * 60

export const uploadBlob: Act = {
  weight: 6,
  async run(world, random) {
    const person = homes(world, random)
    return person && (await uploadOf(world, person, newPicture(1 + random.below(3), shadeOf(random)))).words
  },
}

/** Uploads a picture again to which a record refers. */
export const uploadAgain: Act = {
  weight: 1,
  async run(world, random) {
    const person = homes(world, random)
    const values = [...(person?.records.values() ?? [])].map(({ value }) => value)
    const referred = values.flatMap((value) => [...filesIn(value)])
    const upload = referred.length > 0 ? person?.uploads.get(random.pick(referred)) : undefined
    if (!person || !upload) return undefined
    return (await uploadOf(world, person, { bytes: upload.bytes, words: `${upload.cid} again` })).words
  },
}

/** Two accounts of a server post the same picture; now and then one of them deletes its post. */
export const sharePicture: Act = {
  weight: 1,
  async run(world, random) {
    const one = homes(world, random)
    const other = one && homesAt(world, random, one.machine, one)
    if (!one || !other) return undefined
    // Of a size that no other act uploads.
    const shared = newPicture(4 + random.below(2), shadeOf(random))
    const words: string[] = []
    for (const person of [one, other]) {
      const { words: uploaded, cid } = await uploadOf(world, person, shared)
      words.push(uploaded)
      const ref = cid !== undefined && person.uploads.get(cid)?.ref
      if (!ref) return words.join('; ')
      const rkey = keyOf(world)
      const value = { ...postOf(world), embed: pictures(ref) }
      words.push(await send(world, person, writing({ action: 'create', collection: post, rkey, value })))
      if (person === other && other.records.has(`${post}/${rkey}`) && random.chance(0.6))
        words.push(await send(world, person, writing({ action: 'delete', collection: post, rkey })))
    }
    return words.join('; ')
  },
}

const postOf = ({ time }: World) => ({
  $type: post,
  text: 'picture',
  createdAt: time.clock.now().toISOString(),
})
const pictures = (image: object) => ({ $type: 'app.bsky.embed.images', images: [{ image, alt: '' }] })
const writing = (write: Write) =>
  ({ method: write.action === 'delete' ? 'deleteRecord' : 'createRecord', writes: [write] }) as const
