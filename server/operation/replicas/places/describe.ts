/** Places as people describe them, and their conversion to a URL and credentials. */

import { isAbsolute } from 'node:path'
import { pathToFileURL } from 'node:url'
import { copyPlaces } from '../../../platform/config/values.ts'
import { type PlaceCredentials, PlaceProblem } from './place.ts'

/** A place for continuous copies, as a person describes it. Unused fields are empty. */
export interface PlaceInput {
  readonly kind: 'folder' | 'webdav' | 's3'
  /** The path of a folder, the address of a WebDAV folder, or the endpoint of S3-compatible storage. */
  readonly address: string
  /** User name, for WebDAV. */
  readonly user: string
  /** The bucket, and after a slash a prefix in it. */
  readonly bucket: string
  readonly region: string
  readonly accessKeyId: string
  /** The password, or the secret access key. */
  readonly secret: string
}

/** A place as the server's settings name it. */
export interface NamedPlace {
  readonly url: string
  readonly credentials: PlaceCredentials | undefined
}

/** A sentence per field that has a wrong value. `key`: that of a recovery sheet. */
export type PlaceProblems = { readonly [Name in keyof PlaceInput | 'key']?: string }

/** A problem of one field of the description. */
export class FieldProblem extends Error {
  readonly field: keyof PlaceProblems

  constructor(field: keyof PlaceProblems, message: string) {
    super(message)
    this.field = field
  }
}

const wrongAddress = 'This must be an address such as https://cloud.example.com/folder.'

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
  if (url === undefined) throw new FieldProblem('address', wrongAddress)
  if (kind === 'folder') return { url, credentials: undefined }
  return {
    url,
    credentials: kind === 'webdav' ? { password: secret } : { accessKeyId, secretAccessKey: secret },
  }
}

function folderUrl({ address }: PlaceInput): string {
  if (!isAbsolute(address) || address.includes('\0'))
    throw new FieldProblem('address', 'This must be the whole path of a folder, such as /media/disk.')
  return pathToFileURL(address).href
}

function webdavUrl({ address, user }: PlaceInput): string {
  const url = webUrl(address)
  if (user === '') throw new FieldProblem('user', 'This is required.')
  return `webdav+${url.protocol}//${encodeURIComponent(user)}@${url.host}${url.pathname}`
}

function s3Url({ address, bucket, region }: PlaceInput): string {
  const url = webUrl(address)
  if (!/^[a-z0-9][a-z0-9.-]+(\/.*)?$/.test(bucket))
    throw new FieldProblem('bucket', 'This must be the name of a bucket, such as my-copies.')
  const path = bucket.split('/').map(encodeURIComponent).join('/')
  const query = new URLSearchParams({ endpoint: url.href.replace(/\/$/, ''), ...(region && { region }) })
  return `s3://${path}?${query}`
}

/** Parses an address; without a scheme it is an https one. @throws FieldProblem */
function webUrl(text: string): URL {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`)
  if (url && /^https?:$/.test(url.protocol) && !url.username && !url.password) return url
  throw new FieldProblem('address', wrongAddress)
}
