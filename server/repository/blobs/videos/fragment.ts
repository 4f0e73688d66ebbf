/**
 * Makes a video streamable: its frames are copied into fragments of a few seconds (CMAF, ISO/IEC 23000-19), which a playlist
 * lists (HTTP Live Streaming, RFC 8216). Nothing is encoded anew.
 */
import {
  CmafOutputFormat,
  Conversion,
  CustomSource,
  HlsOutputFormat,
  Input,
  MATROSKA,
  MP4,
  NullTarget,
  Output,
  PathedTarget,
  QTFF,
  type Source,
  StreamTarget,
  type StreamTargetChunk,
  WEBM,
} from 'mediabunny'
import { blobCid, newBlobHash } from '../../../store/files/blob-files.ts'
import { type Files, type OpenFile, type ReadableFile, writeFully } from '../../../store/files/files.ts'
import { damagedFile } from './damaged-file.ts'
import { checkSampleTables } from './sample-tables.ts'

export interface FragmentJob {
  /** Path of the video, and its CID. */
  readonly from: string
  readonly cid: string
  /** Path of the fragments, all in one file. */
  readonly to: string
  /** URL of that file in the playlist, relative to it. */
  readonly url: string
}

const formats = [MP4, QTFF, WEBM, MATROSKA]
/** Seconds of a fragment, unless key frames are rarer. */
const targetDuration = 4
/** The fragments have the frames of the file once, and a header each. */
const maxGrowth = 2
const maxHeaderBytes = 1_000_000

/** Returns the playlist. @throws for a damaged file, and for one that holds more than can be copied */
export async function fragment(files: Files, job: FragmentJob): Promise<string> {
  await verify(files, job)
  const file = await files.open(job.from)
  try {
    checkSampleTables(file)
    return await copyFrames(files, file, job)
  } finally {
    await file.close()
  }
}

async function copyFrames(files: Files, file: ReadableFile, { to, url }: FragmentJob): Promise<string> {
  const maxBytes = maxGrowth * file.size() + maxHeaderBytes
  let playlist: string | undefined
  const format = new HlsOutputFormat({
    segmentFormat: new CmafOutputFormat(),
    targetDuration,
    singleFilePerPlaylist: true,
    getSegmentPath: () => url,
    onPlaylist: (text) => {
      if (playlist !== undefined) throw new Error('The video has more than one playlist')
      playlist = text
    },
  })
  const fragments = new StreamTarget(writerOf(files, to), { chunked: true })
  fragments.onwrite = (_, end) => {
    if (end > maxBytes) throw new Error('The video names parts of its file more than once')
  }
  const target = new PathedTarget('playlist.m3u8', ({ path }) =>
    path === url ? fragments : new NullTarget(),
  )
  const input = new Input({ formats, source: sourceOf(file) })
  const conversion = await Conversion.init({
    ...{ input, output: new Output({ format, target }) },
    showWarnings: false,
  })
  // A track that would have to be encoded anew. Leaving out its sound or picture would make another video.
  if (!conversion.isValid || conversion.discardedTracks.length > 0) {
    throw new Error('The video has a track that cannot be copied')
  }
  await conversion.execute()
  if (playlist === undefined) throw new Error('The video has no playlist')
  return playlist
}

function sourceOf(file: ReadableFile): Source {
  return new CustomSource({
    getSize: () => file.size(),
    read(start, end) {
      const bytes = new Uint8Array(end - start)
      file.readBlocking(bytes, start)
      return bytes
    },
    prefetchProfile: 'fileSystem',
  })
}

function writerOf(files: Files, path: string): WritableStream<StreamTargetChunk> {
  let file: OpenFile | undefined
  return new WritableStream({
    async write({ data, position }) {
      file ??= await files.create(path)
      await writeFully(file, data, position)
    },
    close: () => file?.close(),
    abort: () => file?.close(),
  })
}

async function verify(files: Files, { from, cid }: FragmentJob): Promise<void> {
  const hash = newBlobHash()
  for await (const chunk of files.chunks(from)) hash.update(chunk)
  if (blobCid(hash) !== cid) {
    throw Object.assign(new Error('The file of the video is damaged'), { name: damagedFile })
  }
}
