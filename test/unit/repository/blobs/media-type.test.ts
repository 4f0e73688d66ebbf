import { expect, test } from 'vitest'
import { detectMediaType, isShownInline } from '../../../../server/repository/blobs/media-type.ts'

const bytes = (text: string) => Buffer.from(text.padEnd(64, '\0'), 'latin1')
/** The first box of an ISO media file: its brand, a version, and compatible brands. */
const box = (brand: string, ...compatible: string[]) => {
  const length = String.fromCharCode(16 + 4 * compatible.length)
  return bytes(`\0\0\0${length}ftyp${brand}\0\0\0\0${compatible.join('')}`)
}

test.each([
  ['image/png', bytes('\x89PNG\r\n\x1a\n')],
  ['image/jpeg', bytes('\xff\xd8\xff\xe0')],
  ['image/gif', bytes('GIF89a')],
  ['image/webp', bytes('RIFF....WEBPVP8 ')],
  ['image/avif', box('avif', 'mif1')],
  ['image/avif', box('mif1', 'miaf', 'avif')],
  ['image/heif', box('mif1', 'miaf')],
  ['video/mp4', box('isom', 'mp41')],
  ['video/mp4', box('mp42')],
  ['video/quicktime', box('qt  ')],
  ['audio/mp4', box('M4A ', 'isom')],
  ['video/webm', bytes('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm')],
  ['video/mpeg', bytes('\x00\x00\x01\xba')],
  ['audio/mpeg', bytes('ID3\x04')],
  ['audio/mpeg', bytes('\xff\xfb\x90\x64')],
  ['audio/ogg', bytes('OggS')],
  ['audio/wav', bytes('RIFF....WAVEfmt ')],
])('%s is detected', (type, head) => {
  expect(detectMediaType(head)).toBe(type)
})

test.each([
  ['HTML', bytes('<!doctype html>')],
  ['SVG', bytes('<svg xmlns="http://www.w3.org/2000/svg">')],
  ['Matroska', bytes('\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x88matroska')],
  ['UTF-16 text', bytes('\xff\xfeh\0i\0')],
  ['MPEG audio of a reserved version', bytes('\xff\xeb\x90\x64')],
  ['MPEG audio of a free bit rate', bytes('\xff\xfb\x00\x64')],
  ['MPEG audio of a reserved bit rate', bytes('\xff\xfb\xf0\x64')],
  ['MPEG audio of a reserved sampling rate', bytes('\xff\xfb\x9c\x64')],
  ['an unknown brand', box('xxxx')],
  ['another RIFF file', bytes('RIFF....AVI LIST')],
  ['nothing', Buffer.alloc(0)],
  ['a signature that is cut', Buffer.from('\x89PN', 'latin1')],
  ['a box that is cut', Buffer.from('\0\0\0\x18ftypav', 'latin1')],
])('%s shows no media type', (_, head) => {
  expect(detectMediaType(head)).toBeUndefined()
})

test('only images, audio and video without scripts are shown in pages', () => {
  expect(['image/png', 'audio/mpeg', 'video/mp4'].filter(isShownInline)).toHaveLength(3)
  expect(['text/html', 'image/svg+xml', 'application/pdf', 'text/image/png'].filter(isShownInline)).toEqual(
    [],
  )
})
