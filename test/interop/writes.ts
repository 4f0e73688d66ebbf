/** What accounts do in the scenarios of event streams. */
import { type Account, picture, postRecord, put, tid, upload } from './accounts.ts'
import { adminPassword } from './processes.ts'
import { post } from './xrpc.ts'

const admin = `Basic ${Buffer.from(`admin:${adminPassword}`).toString('base64')}`

export function create(account: Account, n: number) {
  const { server, did, accessJwt: auth } = account
  const input = { repo: did, collection: 'app.bsky.feed.post', rkey: tid(n), record: postRecord(`Post ${n}`) }
  return post(server, 'com.atproto.repo.createRecord', { auth, input })
}

export function putProfile(account: Account, displayName: string) {
  return put(account, 'app.bsky.actor.profile', 'self', { $type: 'app.bsky.actor.profile', displayName })
}

export function remove({ server, did, accessJwt: auth }: Account, rkey: string) {
  const input = { repo: did, collection: 'app.bsky.feed.post', rkey }
  return post(server, 'com.atproto.repo.deleteRecord', { auth, input })
}

export function apply({ server, did, accessJwt: auth }: Account, writes: readonly unknown[]) {
  return post(server, 'com.atproto.repo.applyWrites', { auth, input: { repo: did, writes } })
}

function write(action: 'create' | 'update' | 'delete', n: number) {
  const value = action === 'delete' ? {} : { value: postRecord(`Post ${n} by ${action}`) }
  return {
    $type: `com.atproto.repo.applyWrites#${action}`,
    collection: 'app.bsky.feed.post',
    rkey: tid(n),
    ...value,
  }
}

export function many(action: 'create' | 'delete', from: number, to: number) {
  return Array.from({ length: to - from }, (_, index) => write(action, from + index))
}

/** Creations, an update and deletions in one call. */
export const mixed = [
  write('create', 300),
  write('update', 110),
  write('delete', 111),
  write('create', 301),
  write('delete', 199),
]

export async function createPicture(account: Account) {
  const image = await upload(account.server, account.accessJwt, picture(7))
  const embed = { $type: 'app.bsky.embed.images', images: [{ alt: '', image }] }
  return put(account, 'app.bsky.feed.post', tid(400), { ...postRecord('A picture'), embed })
}

export function changeHandle({ server, accessJwt: auth }: Account, handle: string) {
  return post(server, 'com.atproto.identity.updateHandle', { auth, input: { handle } })
}

export function setActive({ server, accessJwt: auth }: Account, active: boolean) {
  return active
    ? post(server, 'com.atproto.server.activateAccount', { auth })
    : post(server, 'com.atproto.server.deactivateAccount', { auth, input: {} })
}

export function takedown({ server, did }: Account, applied: boolean) {
  const subject = { $type: 'com.atproto.admin.defs#repoRef', did }
  return post(server, 'com.atproto.admin.updateSubjectStatus', {
    auth: admin,
    input: { subject, takedown: { applied } },
  })
}

export function deleteAccount({ server, did }: Account) {
  return post(server, 'com.atproto.admin.deleteAccount', { auth: admin, input: { did } })
}
