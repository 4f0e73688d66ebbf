/** Places of copies as the page describes them, and their conversion to the server's: a URL and credentials. */

import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { PlaceCredentials } from '../../server/operation/replicas/places/place.ts'
import { PlaceProblem } from '../../server/operation/replicas/places/place.ts'
import { copyPlaces } from '../../server/platform/config/values.ts'
import { members, oneOf, text } from '../ground/arguments.ts'
import type { FoundPoints, PlaceInput } from '../ground/bridge.ts'
import { t } from '../ground/strings.ts'

const isText = text(2000)

export const isPlaceInput = members<PlaceInput>({
  kind: oneOf('folder', 'webdav', 's3'),
  ...{ address: isText, user: isText, bucket: isText, region: isText, accessKeyId: isText, secret: isText },
})

/** A place as the server's settings name it. */
export interface NamedPlace {
  readonly url: string
  readonly credentials: PlaceCredentials | undefined
}

export type PlaceProblems = FoundPoints['problems']

/** A problem of one field of the description. */
export class FieldProblem extends Error {
  readonly field: keyof PlaceProblems

  constructor(field: keyof PlaceProblems, message: string) {
    super(message)
    this.field = field
  }
}

/** Returns an error by the field that it belongs to. @param input undefined for a place that this computer knows */
export function problemsOf(error: unknown, input: PlaceInput | undefined): PlaceProblems {
  const message = error instanceof Error ? error.message : String(error)
  if (error instanceof FieldProblem) return { [error.field]: message }
  const kind = input && error instanceof PlaceProblem ? error.kind : undefined
  if (kind === 'foreign') return { key: message }
  return kind === 'refused' && input?.kind !== 'folder' ? { secret: message } : { address: message }
}

/** Converts the description of a place. @throws FieldProblem */
export function namePlace(input: PlaceInput): NamedPlace {
  const { kind, secret, accessKeyId } = input
  const named = { folder: folderUrl, webdav: webdavUrl, s3: s3Url }[kind](input)
  // A comma separates places in the setting.
  const url = copyPlaces.parse(named.replaceAll(',', '%2C'))?.[0]
  if (url === undefined) throw new FieldProblem('address', t.copies.wrongAddress)
  if (kind === 'folder') return { url, credentials: undefined }
  return {
    url,
    credentials: kind === 'webdav' ? { password: secret } : { accessKeyId, secretAccessKey: secret },
  }
}

function folderUrl({ address }: PlaceInput): string {
  if (!isAbsolute(address)) throw new FieldProblem('address', t.copies.wrongFolder)
  return pathToFileURL(address).href
}

function webdavUrl({ address, user }: PlaceInput): string {
  const url = webUrl(address)
  if (user === '') throw new FieldProblem('user', t.copies.missing)
  return `webdav+${url.protocol}//${encodeURIComponent(user)}@${url.host}${url.pathname}`
}

function s3Url({ address, bucket, region }: PlaceInput): string {
  const url = webUrl(address)
  if (!/^[a-z0-9][a-z0-9.-]+(\/.*)?$/.test(bucket)) throw new FieldProblem('bucket', t.copies.wrongBucket)
  const path = bucket.split('/').map(encodeURIComponent).join('/')
  const query = new URLSearchParams({ endpoint: url.href.replace(/\/$/, ''), ...(region && { region }) })
  return `s3://${path}?${query}`
}

/** Parses an address; without a scheme it is an https one. @throws FieldProblem */
function webUrl(text: string): URL {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (url && /^https?:$/.test(url.protocol) && !url.username) return url
  throw new FieldProblem('address', t.copies.wrongAddress)
}
