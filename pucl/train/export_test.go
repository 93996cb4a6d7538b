package train

// What the tests of package train_test share with those in here.
var (
	Quick         = quick
	Paper         = paper
	OwnEncoder    = ownEncoder
	Stripe        = stripe
	TwoKinds      = twoKinds
	CSVOfTwoKinds = csvOfTwoKinds
	ReadTable     = readTable
)

// NewStripes returns batches of stripes.
func NewStripes(size, labeled int) Batches { return stripes{size, labeled} }
