/** The profile of the current account: its view, its record, and changes to the record. */
import { useQuery } from '@tanstack/react-query'
import { app, com } from '../../lexicons/generated/index.ts'
import { parseAtUri } from './at-uri.ts'
import { errorName } from './call-errors.ts'
import { callAs } from './client.ts'
import { keyOf } from './hooks.ts'
import { findSession, useSession } from './sessions.ts'

const { getProfile, profile } = app.example.actor
const { createRecord, getRecord, putRecord, uploadBlob } = com.core.repo

/** The profile of an account that is signed in here, as others see it. */
export function useOwnProfile(did: string) {
  return useQuery({
    queryKey: keyOf(did, getProfile),
    queryFn: ({ signal }) => callAs(did, getProfile, { params: { actor: did as never }, signal }),
    // Sessions of accounts that were taken down may not read profiles.
    enabled: findSession(did)?.status !== 'takendown',
    retry: false,
  })
}

export interface ProfileRecord {
  readonly uri: string
  readonly cid: string
  /** As stored: unknown members are kept, known ones may have any type. */
  readonly value: Readonly<Record<string, unknown>>
}

/** The record of the profile; null if there is none. */
export function useProfileRecord() {
  const { did } = useSession()
  return useQuery({
    queryKey: [did, getRecord.$nsid, profile.$nsid],
    queryFn: ({ signal }) => readRecord(did, signal),
    staleTime: 0,
  })
}

async function readRecord(did: string, signal: AbortSignal): Promise<ProfileRecord | null> {
  try {
    const params = { repo: did as never, collection: profile.$nsid, rkey: 'self' } as const
    const { uri, cid = '', value } = await callAs(did, getRecord, { params, signal })
    return { uri, cid, value: value as ProfileRecord['value'] }
  } catch (error) {
    if (errorName(error) === 'RecordNotFound') return null
    throw error
  }
}

export const textFields = ['displayName', 'description', 'pronouns', 'website'] as const
export const pictureFields = ['avatar', 'banner'] as const
export type TextField = (typeof textFields)[number]
export type PictureField = (typeof pictureFields)[number]

/** Changed members of the profile. An empty text and null remove a member. */
export type ProfileChanges = { readonly [F in TextField]?: string } & {
  readonly [F in PictureField]?: Blob | null
}

/** Writes changes to the profile. Fails with `InvalidSwap` if the record is no longer `base`. */
export async function saveProfile(
  did: string,
  base: ProfileRecord | null,
  changes: ProfileChanges,
): Promise<void> {
  const $type = base ? parseAtUri(base.uri).collection : profile.$nsid
  const created = base ? {} : { createdAt: new Date().toISOString() }
  const record = { ...base?.value, ...created, ...(await membersOf(did, changes)), $type }
  const body = { repo: did, collection: $type, rkey: 'self', record: withoutUndefined(record) } as never
  if (base) await callAs(did, putRecord, { body: { ...(body as object), swapRecord: base.cid } as never })
  else await callAs(did, createRecord, { body })
}

/** The changed members as the record stores them; undefined for removed ones. Uploads new pictures. */
async function membersOf(did: string, changes: ProfileChanges): Promise<Record<string, unknown>> {
  const texts = textFields
    .filter((field) => changes[field] !== undefined)
    .map((field) => [field, changes[field]?.trim() || undefined])
  const pictures: [string, unknown][] = []
  for (const field of pictureFields) {
    const picture = changes[field]
    if (picture === null) pictures.push([field, undefined])
    if (picture) pictures.push([field, (await callAs(did, uploadBlob, { body: picture })).blob])
  }
  return Object.fromEntries([...texts, ...pictures])
}

function withoutUndefined(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined))
}
