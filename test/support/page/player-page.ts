/** A page of a client that plays a video as the network's web clients do. */
import Hls from 'hls.js'

/** The part of the browser that it uses: tests are checked without the types of browsers. */
declare const location: Readonly<Record<'hash', string>>
declare const document: {
  createElement(tag: 'video'): Video
  readonly body: { append(element: Video): void; dataset: Record<string, string> }
}
interface Video {
  muted: boolean
  readonly videoWidth: number
  readonly currentTime: number
  play(): Promise<void>
  addEventListener(type: string, listener: () => void): void
}

const video = document.createElement('video')
video.muted = true
document.body.append(video)
const player = new Hls()
player.on(Hls.Events.ERROR, (_, { details, fatal }) => {
  // The player goes on after others: on a busy machine it waits for the decoder.
  if (fatal) document.body.dataset.error = details
})
player.on(Hls.Events.MANIFEST_PARSED, () => void video.play())
video.addEventListener('timeupdate', () => {
  if (video.currentTime > 0.5) document.body.dataset.playing = `${video.videoWidth}`
})
player.loadSource(decodeURIComponent(location.hash.slice(1)))
player.attachMedia(video as never)
