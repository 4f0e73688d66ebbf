/** Places of copies as the page describes them, and their conversion to the server's: a URL and credentials. */
import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PlaceCredentials } from '../server/operation/replicas/places/open.ts'
import type { PlaceProblem } from '../server/operation/replicas/places/place.ts'
import { copyPlaces } from '../server/platform/config/values.ts'
import type { PlaceInput, SettingProblems } from './bridge.ts'
import { t } from './strings.ts'

const names = ['kind', 'address', 'user', 'bucket', 'region', 'accessKeyId', 'secret']
const maxLength = 2000

export function isPlaceInput(value: unknown): value is PlaceInput {
  if (typeof value !== 'object' || value === null) return false
  const given = Object.entries(value)
  return (
    given.length === names.length &&
    given.every(
      ([name, one]) => names.includes(name) && typeof one === 'string' && one.length <= maxLength,
    ) &&
    ['folder', 'webdav', 's3'].includes((value as PlaceInput).kind)
  )
}

/** A place as the server's settings name it. */
export interface NamedPlace {
  readonly url: string
  readonly credentials: PlaceCredentials | undefined
}

export type PlaceProblems = SettingProblems<PlaceInput>

/** Converts the description of a place, or returns its problems. */
export function namePlace(input: PlaceInput): NamedPlace | { readonly problems: PlaceProblems } {
  const { kind, secret, accessKeyId } = input
  const named = { folder: folderUrl, webdav: webdavUrl, s3: s3Url }[kind](input)
  if (typeof named !== 'string') return { problems: named }
  // A comma separates places in the setting.
  const url = copyPlaces.parse(named.replaceAll(',', '%2C'))?.[0]
  if (url === undefined) return { problems: { address: t.copies.wrongAddress } }
  if (kind === 'folder') return { url, credentials: undefined }
  return {
    url,
    credentials: kind === 'webdav' ? { password: secret } : { accessKeyId, secretAccessKey: secret },
  }
}

function folderUrl({ address }: PlaceInput): string | PlaceProblems {
  return isAbsolute(address) ? pathToFileURL(address).href : { address: t.copies.wrongFolder }
}

function webdavUrl({ address, user }: PlaceInput): string | PlaceProblems {
  const url = webUrl(address)
  if (!url) return { address: t.copies.wrongAddress }
  if (user === '') return { user: t.copies.missing }
  return `webdav+${url.protocol}//${encodeURIComponent(user)}@${url.host}${url.pathname}`
}

function s3Url({ address, bucket, region }: PlaceInput): string | PlaceProblems {
  const url = webUrl(address)
  if (!url) return { address: t.copies.wrongAddress }
  if (!/^[a-z0-9][a-z0-9.-]+(\/.*)?$/.test(bucket)) return { bucket: t.copies.wrongBucket }
  const path = bucket.split('/').map(encodeURIComponent).join('/')
  const query = new URLSearchParams({ endpoint: url.href.replace(/\/$/, ''), ...(region && { region }) })
  return `s3://${path}?${query}`
}

/** Parses an address; without a scheme it is an https one. */
function webUrl(text: string): URL | undefined {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  return url && /^https?:$/.test(url.protocol) && !url.username ? url : undefined
}

/** The field that a problem of a place belongs to. */
export function fieldOf({ kind }: PlaceProblem, input: PlaceInput): keyof PlaceInput {
  return kind === 'refused' && input.kind !== 'folder' ? 'secret' : 'address'
}
