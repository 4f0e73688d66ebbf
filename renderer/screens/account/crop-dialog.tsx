import { type PointerEvent, useEffect, useRef, useState } from 'react'
import type { PictureField } from '../../api/profile.ts'
import { useDialogWork } from '../../parts/dialog-action.ts'
import { t } from '../../strings/en.ts'
import { FormDialog } from '../../ui/dialog.tsx'
import { encode } from '../../ui/pictures.ts'
import { type Crop, drawCrop, shapes, sourceOf } from './crop.ts'
import styles from './profile.module.css'

export interface ChosenPicture {
  readonly field: PictureField
  readonly bitmap: ImageBitmap
  readonly type: string
}

interface CropDialogProps {
  readonly chosen: ChosenPicture
  onDone(picture: Blob): void
  onClose(): void
}

const maxZoom = 4

/** Chooses the part of a picture to use: by dragging, or with sliders. */
export function CropDialog({ chosen: { field, bitmap, type }, onDone, onClose }: CropDialogProps) {
  const shape = shapes[field]
  const canvas = useRef<HTMLCanvasElement>(null)
  const [crop, setCrop] = useState<Crop>({ zoom: 1, x: 0.5, y: 0.5 })
  useEffect(() => {
    if (canvas.current) drawCrop(canvas.current, bitmap, shape, crop)
  }, [bitmap, shape, crop])
  const finish = useDialogWork({
    run: async () => {
      const picture = canvas.current && (await encode(canvas.current, type))
      if (!picture) throw t.profile.notAPicture
      return picture
    },
    onDone,
    onClose,
  })
  const drag = ({ buttons, movementX, movementY, currentTarget }: PointerEvent<HTMLCanvasElement>) => {
    if (buttons === 0) return
    const source = sourceOf(bitmap, shape, crop)
    const scale = source.width / currentTarget.clientWidth
    setCrop({
      ...crop,
      x: moved(crop.x, movementX * scale, bitmap.width - source.width),
      y: moved(crop.y, movementY * scale, bitmap.height - source.height),
    })
  }
  const source = sourceOf(bitmap, shape, crop)
  return (
    <FormDialog {...finish} action={t.profile.cropUse} title={t.profile.cropTitle[field]}>
      <canvas
        aria-label={t.profile.cropPreview}
        className={styles.crop}
        data-shape={field}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        ref={canvas}
        role="img"
      />
      <Slider
        label={t.profile.cropZoom}
        max={maxZoom}
        min={1}
        onChange={(zoom) => setCrop({ ...crop, zoom })}
        value={crop.zoom}
      />
      <Slider
        disabled={bitmap.width - source.width < 1}
        label={t.profile.cropX}
        onChange={(x) => setCrop({ ...crop, x })}
        value={crop.x}
      />
      <Slider
        disabled={bitmap.height - source.height < 1}
        label={t.profile.cropY}
        onChange={(y) => setCrop({ ...crop, y })}
        value={crop.y}
      />
    </FormDialog>
  )
}

/** @param by the distance in pixels of the picture @param room the pixels that are not shown */
function moved(at: number, by: number, room: number): number {
  return room < 1 ? at : Math.min(1, Math.max(0, at - by / room))
}

interface SliderProps {
  readonly label: string
  readonly value: number
  readonly min?: number
  readonly max?: number
  readonly disabled?: boolean
  onChange(value: number): void
}

function Slider({ label, value, min = 0, max = 1, disabled = false, onChange }: SliderProps) {
  return (
    <label className={styles.slider}>
      <span>{label}</span>
      <input
        disabled={disabled}
        max={max}
        min={min}
        onChange={(event) => onChange(Number(event.target.value))}
        step={(max - min) / 50}
        type="range"
        value={value}
      />
    </label>
  )
}
