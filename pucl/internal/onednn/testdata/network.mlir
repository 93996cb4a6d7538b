module @network {
  func.func @main(%arg0: tensor<24x12x12x3xf32>, %arg1: tensor<3x3x3x16xf32>, %arg2: tensor<3x3x16x17xf32>, %arg3: tensor<612x40xf32>) -> (tensor<f32>, tensor<24x40xf32>, tensor<3x3x3x16xf32>, tensor<3x3x16x17xf32>, tensor<612x40xf32>) {
    %0 = "stablehlo.convolution"(%arg0, %arg1) {
      batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
      feature_group_count = 1 : i64,
      lhs_dilation = array<i64: 1, 1>,
      padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      rhs_dilation = array<i64: 1, 1>,
      window_reversal = array<i1: false, false>,
      window_strides = array<i64: 1, 1>
    } : (tensor<24x12x12x3xf32>, tensor<3x3x3x16xf32>) -> tensor<24x12x12x16xf32>
    %1 = "stablehlo.tanh"(%0) : (tensor<24x12x12x16xf32>) -> tensor<24x12x12x16xf32>
    %2 = "stablehlo.convolution"(%1, %arg2) {
      batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>,
      feature_group_count = 1 : i64,
      lhs_dilation = array<i64: 1, 1>,
      padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      rhs_dilation = array<i64: 1, 1>,
      window_reversal = array<i1: false, false>,
      window_strides = array<i64: 2, 2>
    } : (tensor<24x12x12x16xf32>, tensor<3x3x16x17xf32>) -> tensor<24x6x6x17xf32>
    %3 = "stablehlo.tanh"(%2) : (tensor<24x6x6x17xf32>) -> tensor<24x6x6x17xf32>
    %4 = "stablehlo.reshape"(%3) : (tensor<24x6x6x17xf32>) -> tensor<24x612xf32>
    %5 = "stablehlo.dot_general"(%4, %arg3) {
      dot_dimension_numbers = #stablehlo.dot<
  lhs_batching_dimensions = [],
  rhs_batching_dimensions = [],
  lhs_contracting_dimensions = [1],
  rhs_contracting_dimensions = [0]
>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]
    } : (tensor<24x612xf32>, tensor<612x40xf32>) -> tensor<24x40xf32>
    %6 = "stablehlo.multiply"(%5, %5) : (tensor<24x40xf32>, tensor<24x40xf32>) -> tensor<24x40xf32>
    %8 = "stablehlo.constant"() { value = dense<0.0> : tensor<f32> } : () -> tensor<f32>
    %9 = "stablehlo.reduce"(%6, %8) ({
      ^reductionFn(%lhs: tensor<f32>, %rhs: tensor<f32>) :
          %7 = "stablehlo.add"(%lhs, %rhs) : (tensor<f32>, tensor<f32>) -> tensor<f32>
          "stablehlo.return"(%7) : (tensor<f32>) -> ()
    }) { dimensions = array<i64: 0, 1> } : (tensor<24x40xf32>, tensor<f32>) -> tensor<f32>
    %10 = "stablehlo.constant"() { value = dense<0.0010416667209938169> : tensor<f32> } : () -> tensor<f32>
    %11 = "stablehlo.multiply"(%9, %10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %12 = "stablehlo.constant"() { value = dense<1.0> : tensor<f32> } : () -> tensor<f32>
    %13 = "stablehlo.multiply"(%12, %10) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %14 = "stablehlo.multiply"(%12, %9) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    %15 = "stablehlo.reshape"(%13) : (tensor<f32>) -> tensor<1x1xf32>
    %16 = "stablehlo.broadcast_in_dim"(%15) { broadcast_dimensions = array<i64: 0, 1> } : (tensor<1x1xf32>) -> tensor<24x40xf32>
    %17 = "stablehlo.multiply"(%16, %5) : (tensor<24x40xf32>, tensor<24x40xf32>) -> tensor<24x40xf32>
    %18 = "stablehlo.multiply"(%16, %5) : (tensor<24x40xf32>, tensor<24x40xf32>) -> tensor<24x40xf32>
    %19 = "stablehlo.add"(%17, %18) : (tensor<24x40xf32>, tensor<24x40xf32>) -> tensor<24x40xf32>
    %20 = "stablehlo.dot_general"(%19, %arg3) {
      dot_dimension_numbers = #stablehlo.dot<
  lhs_batching_dimensions = [],
  rhs_batching_dimensions = [],
  lhs_contracting_dimensions = [1],
  rhs_contracting_dimensions = [1]
>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]
    } : (tensor<24x40xf32>, tensor<612x40xf32>) -> tensor<24x612xf32>
    %21 = "stablehlo.transpose"(%20) { permutation = array<i64: 0, 1> } : (tensor<24x612xf32>) -> tensor<24x612xf32>
    %22 = "stablehlo.dot_general"(%19, %4) {
      dot_dimension_numbers = #stablehlo.dot<
  lhs_batching_dimensions = [],
  rhs_batching_dimensions = [],
  lhs_contracting_dimensions = [0],
  rhs_contracting_dimensions = [0]
>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]
    } : (tensor<24x40xf32>, tensor<24x612xf32>) -> tensor<40x612xf32>
    %23 = "stablehlo.transpose"(%22) { permutation = array<i64: 1, 0> } : (tensor<40x612xf32>) -> tensor<612x40xf32>
    %24 = "stablehlo.reshape"(%21) : (tensor<24x612xf32>) -> tensor<24x6x6x17xf32>
    %25 = "stablehlo.multiply"(%3, %3) : (tensor<24x6x6x17xf32>, tensor<24x6x6x17xf32>) -> tensor<24x6x6x17xf32>
    %26 = "stablehlo.broadcast_in_dim"(%12) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<24x6x6x17xf32>
    %27 = "stablehlo.subtract"(%26, %25) : (tensor<24x6x6x17xf32>, tensor<24x6x6x17xf32>) -> tensor<24x6x6x17xf32>
    %28 = "stablehlo.multiply"(%24, %27) : (tensor<24x6x6x17xf32>, tensor<24x6x6x17xf32>) -> tensor<24x6x6x17xf32>
    %29 = "stablehlo.reverse"(%arg2) { dimensions = array<i64: 0, 1> } : (tensor<3x3x16x17xf32>) -> tensor<3x3x16x17xf32>
    %30 = "stablehlo.convolution"(%28, %29) {
      batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>,
      feature_group_count = 1 : i64,
      lhs_dilation = array<i64: 2, 2>,
      padding = dense<[[1, 2], [1, 2]]> : tensor<2x2xi64>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      rhs_dilation = array<i64: 1, 1>,
      window_reversal = array<i1: false, false>,
      window_strides = array<i64: 1, 1>
    } : (tensor<24x6x6x17xf32>, tensor<3x3x16x17xf32>) -> tensor<24x12x12x16xf32>
    %31 = "stablehlo.convolution"(%1, %28) {
      batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>,
      feature_group_count = 1 : i64,
      lhs_dilation = array<i64: 1, 1>,
      padding = dense<[[1, 0], [1, 0]]> : tensor<2x2xi64>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      rhs_dilation = array<i64: 2, 2>,
      window_reversal = array<i1: false, false>,
      window_strides = array<i64: 1, 1>
    } : (tensor<24x12x12x16xf32>, tensor<24x6x6x17xf32>) -> tensor<3x3x16x17xf32>
    %32 = "stablehlo.multiply"(%1, %1) : (tensor<24x12x12x16xf32>, tensor<24x12x12x16xf32>) -> tensor<24x12x12x16xf32>
    %33 = "stablehlo.broadcast_in_dim"(%12) { broadcast_dimensions = array<i64> } : (tensor<f32>) -> tensor<24x12x12x16xf32>
    %34 = "stablehlo.subtract"(%33, %32) : (tensor<24x12x12x16xf32>, tensor<24x12x12x16xf32>) -> tensor<24x12x12x16xf32>
    %35 = "stablehlo.multiply"(%30, %34) : (tensor<24x12x12x16xf32>, tensor<24x12x12x16xf32>) -> tensor<24x12x12x16xf32>
    %36 = "stablehlo.reverse"(%arg1) { dimensions = array<i64: 0, 1> } : (tensor<3x3x3x16xf32>) -> tensor<3x3x3x16xf32>
    %37 = "stablehlo.convolution"(%35, %36) {
      batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f]>,
      feature_group_count = 1 : i64,
      lhs_dilation = array<i64: 1, 1>,
      padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      rhs_dilation = array<i64: 1, 1>,
      window_reversal = array<i1: false, false>,
      window_strides = array<i64: 1, 1>
    } : (tensor<24x12x12x16xf32>, tensor<3x3x3x16xf32>) -> tensor<24x12x12x3xf32>
    %38 = "stablehlo.convolution"(%arg0, %35) {
      batch_group_count = 1 : i64,
      dimension_numbers = #stablehlo.conv<[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]>,
      feature_group_count = 1 : i64,
      lhs_dilation = array<i64: 1, 1>,
      padding = dense<[[1, 1], [1, 1]]> : tensor<2x2xi64>,
      precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
      rhs_dilation = array<i64: 1, 1>,
      window_reversal = array<i1: false, false>,
      window_strides = array<i64: 1, 1>
    } : (tensor<24x12x12x3xf32>, tensor<24x12x12x16xf32>) -> tensor<3x3x3x16xf32>
    "stablehlo.return"(%11, %5, %38, %31, %23) : (tensor<f32>, tensor<24x40xf32>, tensor<3x3x3x16xf32>, tensor<3x3x16x17xf32>, tensor<612x40xf32>) -> ()
  }
}
