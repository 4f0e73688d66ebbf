/** Uploads of pictures. There are few of them, so that accounts share files. */
import { blobCid, newBlobHash } from '../../../server/store/files/blob-files.ts'
import { picture } from '../../support/records/pictures.ts'
import { type Act, Violation } from './act.ts'
import { homes } from './choose.ts'
import { renew } from './sessions.ts'

export const uploadBlob: Act = {
  weight: 6,
  async run(world, random) {
    const person = homes(world, random)
    if (!person) return undefined
    const { machine, name, access: token } = person
    const [width, shade] = [1 + random.below(3), random.below(4) * 60]
    const bytes = picture(width, 1, () => [shade, 0, 0])
    const cid = blobCid(newBlobHash().update(bytes))
    const words = `${machine.name}: ${name} uploads a picture of ${width} pixels in ${shade}`
    const at = world.time.clock.now().getTime()
    // Also without an answer, the server may have it.
    machine.filesUsedAt.set(cid, at)
    const { status, body } = await world.call(machine, 'com.atproto.repo.uploadBlob', {
      ...{ bytes, type: 'image/png', token },
    })
    if (status === 200) {
      if (body.blob.ref.$link !== cid) throw new Violation(`${words}: it is ${cid}`)
      person.uploads.set(cid, { cid, bytes, ref: body.blob, at, isUnused: true })
      return `${words} → ${cid}`
    }
    if (body?.error === 'ExpiredToken') return `${words} → ExpiredToken, ${await renew(world, person)}`
    if (status !== 0 && status < 500) throw new Violation(`${words}: ${status} ${JSON.stringify(body)}`)
    return `${words} → ${status}`
  },
}
