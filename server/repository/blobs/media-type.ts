/** Media types of blobs, as their first bytes show them. Signatures: MIME Sniffing Standard §6, and the registries of the formats. */

/** Bytes that `detectMediaType` looks at. */
export const signatureBytes = 64

type Test = (head: Buffer) => boolean

const at =
  (offset: number, text: string): Test =>
  (head) =>
    head.toString('latin1', offset, offset + text.length) === text
const both =
  (...tests: readonly Test[]): Test =>
  (head) =>
    tests.every((test) => test(head))

/** The name of the document type in a Matroska or WebM file. */
const isWebm: Test = both(at(0, '\x1a\x45\xdf\xa3'), (head) => head.includes('webm'))

/** Frame header of MPEG-1/2 audio layer 3: 11 bits of sync, a valid version, the layer, a valid bit rate and sampling rate. */
const isMp3Frame: Test = (head) => {
  const [first = 0, second = 0, third = 0] = head
  const hasSync = first === 0xff && (second & 0xe6) === 0xe2 && (second & 0x18) !== 0x08
  return hasSync && third >> 4 !== 0 && third >> 4 !== 15 && (third & 0x0c) !== 0x0c
}

/** Brands of the ISO base media file format (ISO/IEC 14496-12), the first of a file. */
const brands: ReadonlyMap<string, string> = new Map([
  ['avif', 'image/avif'],
  ['avis', 'image/avif'],
  ['heic', 'image/heic'],
  ['heix', 'image/heic'],
  ['mif1', 'image/heif'],
  ['qt  ', 'video/quicktime'],
  ['M4A ', 'audio/mp4'],
  ['M4B ', 'audio/mp4'],
  ...['isom', 'iso2', 'iso4', 'iso5', 'iso6', 'avc1', 'mp41', 'mp42', 'M4V ', 'dash', 'MSNV'].map(
    (brand) => [brand, 'video/mp4'] as const,
  ),
])

const signatures: readonly (readonly [type: string, test: Test])[] = [
  ['image/png', at(0, '\x89PNG\r\n\x1a\n')],
  ['image/jpeg', at(0, '\xff\xd8\xff')],
  ['image/gif', at(0, 'GIF87a')],
  ['image/gif', at(0, 'GIF89a')],
  ['image/webp', both(at(0, 'RIFF'), at(8, 'WEBP'))],
  ['audio/wav', both(at(0, 'RIFF'), at(8, 'WAVE'))],
  ['video/webm', isWebm],
  ['video/mpeg', at(0, '\x00\x00\x01\xba')],
  ['video/mpeg', at(0, '\x00\x00\x01\xb3')],
  ['audio/mpeg', at(0, 'ID3')],
  ['audio/mpeg', isMp3Frame],
  ['audio/ogg', at(0, 'OggS')],
]

/**
 * Returns the media type of an image, video or sound; undefined when the bytes show none.
 * @param head the first bytes, `signatureBytes` if there are so many
 */
export function detectMediaType(head: Buffer): string | undefined {
  if (at(4, 'ftyp')(head)) return isoMediaType(head)
  return signatures.find(([, test]) => test(head))?.[0]
}

/** A file of a general brand such as `mif1` lists the specific ones after it. */
function isoMediaType(head: Buffer): string | undefined {
  const end = Math.min(head.readUInt32BE(0), head.length)
  const names = [8, ...range(16, end)].map((offset) => head.toString('latin1', offset, offset + 4))
  const types = names.map((name) => brands.get(name)).filter((type) => type !== undefined)
  return types[0] === 'image/heif' ? (types.find((type) => type === 'image/avif') ?? types[0]) : types[0]
}

function range(from: number, end: number): number[] {
  return Array.from({ length: Math.max(0, Math.floor((end - from) / 4)) }, (_, i) => from + 4 * i)
}

/** Whether browsers may show a blob in a page. SVG may not: it is a document that can contain scripts. */
export function isShownInline(mediaType: string): boolean {
  return /^(image|audio|video)\//.test(mediaType) && !mediaType.startsWith('image/svg')
}
