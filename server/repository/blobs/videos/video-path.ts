/**
 * Paths of streamable videos: `/watch/<did>/<cid>/<key>/<file>`. Players recognize a playlist by the end of its path, and send no
 * token: the key shows that the URL comes from this server, so from a view that the client was allowed to read.
 */
import { timingSafeEqual } from 'node:crypto'

/** Returns a keyed hash. */
export type HashVideo = (purpose: string, name: string) => Uint8Array

export const playlistFile = 'playlist.m3u8'
export const fragmentsFile = 'video.m4s'

export interface VideoPath {
  readonly did: string
  readonly cid: string
  readonly file: typeof playlistFile | typeof fragmentsFile
}

const keyBytes = 16
const pattern = new RegExp(`^/watch/([^/]+)/([a-z2-7]+)/([\\w-]{22})/(${playlistFile}|${fragmentsFile})$`)

/** Returns the path of a video's playlist. */
export function playlistPath(hash: HashVideo, did: string, cid: string): string {
  return `/watch/${did}/${cid}/${keyOf(hash, did, cid).toString('base64url')}/${playlistFile}`
}

/** Parses a path; undefined for others, and for one with another key. */
export function parseVideoPath(hash: HashVideo, path: string): VideoPath | undefined {
  const [, encoded = '', cid = '', key = '', file] = pattern.exec(path) ?? []
  const did = encoded.replace(/%3a/gi, ':')
  const given = Buffer.from(key, 'base64url')
  if (given.length !== keyBytes || !timingSafeEqual(given, keyOf(hash, did, cid))) return undefined
  return { did, cid, file: file as VideoPath['file'] }
}

function keyOf(hash: HashVideo, did: string, cid: string): Buffer {
  return Buffer.from(hash('video', `${did} ${cid}`)).subarray(0, keyBytes)
}
