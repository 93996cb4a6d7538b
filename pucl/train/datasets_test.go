package train

import "fmt"

// fromDatasets returns batches of package datasets as [Batches]: in memory they have no errors, and those of a source read.
func fromDatasets(batches any) Batches {
	switch b := batches.(type) {
	case Batches:
		return b
	case memoryBatches:
		return inMemory{b}
	case sourceBatches:
		return fromSource{b}
	}
	panic(fmt.Sprintf("%T is no kind of batches", batches))
}

type memoryBatches interface {
	fmt.Stringer
	Batch(step int) (pixels []uint8, labeled []bool)
	ImageShape() (height, width, channels int)
}

type sourceBatches interface {
	fmt.Stringer
	ReadBatch(step int) (pixels []uint8, labeled []bool, err error)
	ImageShape() (height, width, channels int)
}

type inMemory struct{ memoryBatches }

func (b inMemory) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	pixels, labeled = b.memoryBatches.Batch(step)
	return pixels, labeled, nil
}

type fromSource struct{ sourceBatches }

func (b fromSource) Batch(step int) (pixels []uint8, labeled []bool, err error) {
	return b.ReadBatch(step)
}
