/** A folder of a WebDAV server (RFC 4918), such as Nextcloud. */

import { dirname } from 'node:path/posix'
import { temporaryName } from '../../../util/random.ts'
import type { PlaceOptions } from './place.ts'
import { type Entry, type Place, PlaceProblem } from './place.ts'
import {
  createRequest,
  type PlaceRequest,
  type PlaceResponse,
  problemOf,
  readObject,
  skip,
} from './requests.ts'
import { readXml, type Texts } from './xml.ts'

/** Objects are uploaded under such names and then moved, so that a cut upload is never an object. */
const temporaryForm = /^uploading-[0-9a-f]{16}$/
/** Then those of a process that was killed are removed. */
const temporaryMs = 24 * 60 * 60_000

const properties = Buffer.from(
  '<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><resourcetype/><getcontentlength/><getlastmodified/></prop></propfind>',
)

interface Resource extends Entry {
  /** Milliseconds since 1970, by the clock of the server. */
  readonly changedAt: number
}

interface Listing {
  /** The resource that the request named. */
  readonly self: Resource | undefined
  readonly members: readonly Resource[]
  /** Milliseconds since 1970, by the clock of the server. */
  readonly now: number
}

/** @param address `webdav+https://user@host/path` */
export function webdavPlace(address: string, options: PlaceOptions): Place {
  const root = new URL(address.replace(/^webdav\+/, '').replace(/\/?$/, '/'))
  const user = decodeURIComponent(root.username)
  root.username = ''
  const { password } = options.credentials ?? {}
  const authorization = `Basic ${Buffer.from(`${user}:${password ?? ''}`).toString('base64')}`
  const request = createRequest(options)
  /** Folders that exist. */
  const folders = new Set<string>()

  const urlOf = (name: string) => new URL(name, root)
  const folderUrl = (name: string) => urlOf(name === '' ? '' : `${name}/`)

  async function send<T>(
    method: PlaceRequest<T>['method'],
    url: URL,
    read: PlaceRequest<T>['read'],
    { body, ...headers }: { body?: Uint8Array; [header: string]: string | Uint8Array | undefined } = {},
  ): Promise<PlaceResponse<T>> {
    if (user !== '' && password === undefined) {
      throw new PlaceProblem('refused', `There is no password for ${user} at ${root.host}. Enter it.`)
    }
    const credentials = user === '' ? {} : { authorization }
    return request(url, {
      method,
      headers: { ...credentials, ...(headers as Record<string, string>) },
      body,
      read,
    })
  }

  /** @returns undefined if there is no such folder or object */
  async function find(url: URL, depth: '0' | '1'): Promise<Listing | undefined> {
    const read = (body: AsyncIterable<Buffer>) => readXml(body, ['response'])
    const headers = { depth, 'content-type': 'application/xml; charset=utf-8' }
    const response = await send('PROPFIND', url, read, { ...headers, body: properties })
    const { status, content } = response
    if (status === 404 || status === 410) return undefined
    if (status !== 207 || content?.root !== 'multistatus') throw problem(url, response)
    const resources = content.rows.map(({ texts }) => toResource(texts, url))
    // Paths are compared, not hosts: behind a proxy, some servers answer with another host.
    const path = pathOf(url)
    const parent = path === '/' ? '/' : `${path}/`
    const members = resources.filter(({ path }) => path.startsWith(parent) && path.length > parent.length)
    const now = Date.parse(response.headers.date ?? '')
    return { self: resources.find((each) => each.path === path), members, now }
  }

  async function list(folder: string): Promise<Entry[]> {
    const url = folderUrl(folder)
    const listing = await find(url, '1')
    if (!listing) return []
    if (!listing.self) {
      throw new PlaceProblem(
        'invalid',
        `${root.host} lists another folder than ${url.pathname}. Check the address.`,
      )
    }
    const temporary = listing.members.filter(({ name }) => temporaryForm.test(name))
    for (const { name, changedAt } of temporary) {
      if (listing.now - changedAt > temporaryMs) await send('DELETE', urlOf(name), skip)
    }
    return listing.members
      .filter((entry) => !temporary.includes(entry))
      .map(({ name, bytes }) => ({ name, bytes }))
  }

  async function put(name: string, bytes: Uint8Array): Promise<void> {
    const temporary = urlOf(`uploading-${temporaryName(8)}`)
    try {
      await upload(temporary, bytes)
      const parent = dirname(name)
      if (parent !== '.' && !folders.has(parent)) await makeFolder(parent)
      await move(temporary, urlOf(name))
    } catch (error) {
      folders.clear()
      await send('DELETE', temporary, skip).catch(() => {})
      throw error
    }
  }

  async function upload(url: URL, body: Uint8Array): Promise<void> {
    const attempt = () => send('PUT', url, skip, { 'content-type': 'application/octet-stream', body })
    let response = await attempt()
    // 409: the folder is missing (RFC 4918); some servers say 404.
    if (response.status === 409 || response.status === 404) {
      await makeFolder('')
      response = await attempt()
    }
    // nginx says it for a missing folder, too: then the next attempt succeeds.
    if (response.status === 500) await makeFolder('')
    if (!isDone(response)) throw problem(url, response)
    const stored = (await find(url, '0'))?.self?.bytes
    if (stored !== body.length) {
      throw new PlaceProblem(
        'unreachable',
        `${root.host} has stored ${stored ?? 'none'} of ${body.length} bytes. It is tried again later.`,
      )
    }
  }

  /** Makes a folder of the place and those above it, if they are missing. */
  async function makeFolder(name: string): Promise<void> {
    await makeFolderAt(folderUrl(name))
    folders.add(name)
  }

  async function makeFolderAt(url: URL): Promise<void> {
    let response = await send('MKCOL', url, skip)
    const above = new URL('..', url)
    if (response.status === 409 && above.pathname !== url.pathname) {
      await makeFolderAt(above)
      response = await send('MKCOL', url, skip)
    }
    // 405: it exists.
    if (!isDone(response) && response.status !== 405) throw problem(url, response)
  }

  async function move(from: URL, to: URL): Promise<void> {
    let response: PlaceResponse | undefined
    // A server behind a proxy that does not know its own address refuses it with 502 as that of another server.
    for (const destination of [to.href, to.pathname]) {
      response = await send('MOVE', from, skip, { destination, overwrite: 'T' })
      if (response.status !== 502) break
    }
    if (response && !isDone(response)) throw problem(to, response)
  }

  function problem(url: URL, response: PlaceResponse): PlaceProblem {
    const { status, headers } = response
    const { host } = root
    if (status >= 300 && status < 400 && headers.location) {
      return new PlaceProblem(
        'invalid',
        `${host} has moved this place to ${movedAddress(url, headers.location)}. Use that address.`,
      )
    }
    if (status === 401) {
      const asked = headers['www-authenticate'] ?? 'Basic'
      return /\bBasic\b/i.test(asked)
        ? new PlaceProblem('refused', `${host} refuses the name or the password. Enter them again.`)
        : new PlaceProblem(
            'refused',
            `${host} does not accept a password with Basic authentication (it asks for ${asked.split(' ')[0]}).`,
          )
    }
    if (status === 423) {
      return new PlaceProblem('unreachable', `${host} has locked a file (423). It is tried again later.`)
    }
    if (status < 300 || [404, 405, 409, 501].includes(status)) {
      return new PlaceProblem(
        'invalid',
        `There is no WebDAV folder at ${host}${root.pathname} (${status}). Check the address.`,
      )
    }
    return problemOf(root, response)
  }

  /** The address of the place for the settings, if a request was redirected. */
  function movedAddress(url: URL, location: string): string {
    const target = URL.parse(location, url.href)
    if (!target) return location
    const rest = url.href.slice(root.href.length)
    const href = target.href.endsWith(rest) ? target.href.slice(0, -rest.length || undefined) : target.href
    return `webdav+${href.replace('//', user === '' ? '//' : `//${encodeURIComponent(user)}@`)}`
  }

  return {
    list,
    async get(name) {
      const url = urlOf(name)
      const response = await send('GET', url, readObject)
      if (response.status === 404 || response.status === 410) return undefined
      if (response.status !== 200) throw problem(url, response)
      return response.content
    },
    size: async (name) => (await find(urlOf(name), '0'))?.self?.bytes,
    put,
    async remove(name) {
      const url = urlOf(name)
      let response = await send('DELETE', url, skip)
      // For a folder, nginx needs the slash.
      if (response.status === 409) response = await send('DELETE', folderUrl(name), skip)
      folders.clear()
      if (!isDone(response) && response.status !== 404 && response.status !== 410)
        throw problem(url, response)
    },
  }
}

/** Excludes 202 (accepted for later) and 207 (reports failures). */
function isDone({ status }: PlaceResponse): boolean {
  return status === 200 || status === 201 || status === 204
}

function toResource(texts: Texts, base: URL): Resource & { readonly path: string } {
  const path = pathOf(new URL(texts.get('href')?.trim() ?? '', base))
  const isFolder = texts.has('propstat/prop/resourcetype/collection')
  const bytes = texts.get('propstat/prop/getcontentlength')?.trim() || undefined
  const changedAt = Date.parse(texts.get('propstat/prop/getlastmodified')?.trim() ?? '')
  return {
    ...{ path, name: path.slice(path.lastIndexOf('/') + 1), changedAt },
    bytes: isFolder || bytes === undefined ? undefined : Number(bytes),
  }
}

/** The path without percent-encoding, which servers use differently, and without a slash at its end. */
function pathOf({ pathname }: URL): string {
  const path = pathname.replace(/(?<=.)\/+$/, '')
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
