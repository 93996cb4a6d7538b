// Package datasets reads image files, fetches missing ones, and hides most labels, so that a set of images becomes data
// for learning from positive and unlabeled examples (PU learning). Its results are plain bytes and numbers, in an order
// that one seed fixes on every machine.
//
// # From a file to a batch
//
// [Images] holds images of one size with their classes. [ReadImages] reads them from the IDX format, and package
// fashionmnist reads a whole data set by name. [NewPU] selects the positive classes and labels a few positives at
// random: the result, a [PU], lists labeled positives first and unlabeled examples after them. [NewBatches] then gives
// the batch of any training step independently of earlier steps, so that a run stopped at step 1,000 resumes with
// exactly the same batches.
//
// # Splits
//
// A [Split] is PU data without the images, made only of classes ([NewSplit]), so it also serves tables and texts.
// [SplitConfig] sets disjoint or shared samples ([Setting]), uniform, class-balanced or biased labels ([Draw]), and
// n_P, n_U, γ = n_P/n_U and π. The paper's benchmarks and experiments have names: [FindBenchmark] and
// [FigureExperiments]. [NewLongTail] makes a balanced set long-tailed.
//
// Every split follows from one seed, is the same on every platform, and prints its description. For an impossible
// amount the error gives the largest possible number.
//
// # Readers
//
// Each reads from an fs.FS: a folder, a zip archive, an embedded file or a test's map. Readers check sizes before they
// allocate memory, and errors name the file, the place and the remedy.
//
//	fashionmnist  Fashion-MNIST, 28×28 gray
//	cifar         CIFAR-10 and CIFAR-100, 32×32 color, from the official archives or the files in them
//	stl10         STL-10, 96×96 color; its 100,000 unlabeled images stay on disk, and are unlabeled examples of unknown class
//	folder        JPEG and PNG files in a sub-folder for each class, or from a list; Imagenette and Imagewoof
//	tabular       CSV and NumPy files of a user's own features, and batches of random views of them
//	gaussian      points of the plane from two normal distributions
//	vqa           questions about pictures and their answers
//	published     the training images of every benchmark by the name of its data set, wherever they lie on this machine
//
// A reader reads all values of a file or returns an error. Integers are exact; fractions are rounded to the nearest
// float64.
//
//	format         read                                       refused, because
//	CSV            UTF-8; UTF-16 with a byte order mark;      other encodings, spreadsheets, Parquet: no such text
//	               any separator; quotes; LF and CRLF         a wrong separator: all columns would be one
//	  numbers      decimal digits, as 3, -0.5, 1e-3           1_500, 0x1p3, 1,5, inf: notations of programs
//	                                                          2⁵³+1, 1e400, 1e-400: 64 bits hold other numbers
//	  gaps         in a Frame: empty, ? and those of pandas   in a Table: every feature needs a value
//	  row numbers  columns listed in Skip or Keep             nameless columns, Unnamed: 0, 10 rows or more in order
//	                                                          from 0 or 1: such a feature only numbers the rows
//	NPY, NPZ       bool; int8 to int64, uint8 to uint64;      float128, complex, texts, objects, dates, structures:
//	               float16 to float64; both byte orders;      no numbers of 64 bits; beyond ±2⁵³: rounded;
//	               C and Fortran order; formats 1 to 3;       a column that numbers the rows, as for CSV
//	               stored and deflated
//	class folders  JPEG, PNG of all color types, as RGB or    WebP, GIF, TIFF, BMP and others: not decoded
//	               gray; 16 bits become 8; alpha is on white  train, val, test: parts of a set, not classes
//	                                                          names that are not UTF-8: io/fs does not open them
//	IDX            uint8 labels and images, gzip or plain     other types of numbers: not those of MNIST
//	CIFAR, STL-10  the binary version                         the Python and Matlab versions: other formats
//
// Classes have the same order in CSV, NPY and folders: numbers by value, one class per number (1 and 1.0 are one
// class), then all other names as text. A list of images and an IDX file give the numbers of classes themselves.
//
// Sets too large for memory are a [Source]: [Stream] reads them ahead in parallel, in the requested order, [Collect]
// reads a whole source into [Images], and [NewSourceBatches] gives training batches without holding it in memory.
//
// # Where files are kept
//
// Large files are not part of this module. They are searched for in the folder named by the environment variable
// PUCL_DATA_DIR, then in the user's cache folder (see [Folders]). [Fetch] downloads missing files and verifies their
// SHA-256. With PUCL_OFFLINE=1 it does not access the network, and its errors describe how to copy a file by hand.
// [FindArchive] returns the official archives by name; an Archive fetches and unpacks itself.
//
// The package needs only the Go standard library and no C compiler. Of the readers, folder uses golang.org/x/image to
// scale, and tabular and gaussian use gonum.
package datasets
